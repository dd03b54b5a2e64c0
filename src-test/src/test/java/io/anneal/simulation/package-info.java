/**
 * Whole repairs in one thread under one seed: random replicas, small windows, random purge times. Whole lives of a store
 * beside a naive model of it, which other tests use, too. May import everything.
 * Imported by tests of faults.
 */
package io.anneal.simulation;
