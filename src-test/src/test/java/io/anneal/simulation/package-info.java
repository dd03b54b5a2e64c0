/**
 * Whole repairs in one thread under one seed: random replicas, small windows, random purge times. May import everything.
 * Imported by nothing.
 */
package io.anneal.simulation;
