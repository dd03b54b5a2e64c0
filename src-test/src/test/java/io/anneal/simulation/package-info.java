/**
 * Whole repairs in one thread under one seed: random replicas, small windows, random purge times. Whole lives of a store
 * beside a naive model of it, which other tests use, too. What goes wrong between two stores without a
 * dual DAO's guards. May import everything.
 * Imported by tests of faults.
 */
package io.anneal.simulation;
