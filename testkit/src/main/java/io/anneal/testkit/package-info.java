/**
 * What tests of Anneal and of its users need: recorded fragments, seeded generators, temporary stores, doubles that fail on
 * purpose, contract suites. May import everything public of core, and the phases of dual-dao. Imported by tests only. Owned by
 * one thread unless a type says otherwise.
 */
package io.anneal.testkit;
