/**
 * Tables to measure with: rows drawn from a seed, the same on every run, and the SSTables that hold them. May import
 * core. Imported by the benchmarks and by tests that need much data. Cursors belong to one thread.
 */
package io.anneal.bench.data;
