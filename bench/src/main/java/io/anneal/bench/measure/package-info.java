/**
 * How the benchmarks measure: reading and hashing all rows of a cursor, bytes and CPU time beside the rows, and
 * the floor below all reading. May import
 * bench.data and core. Imported by the benchmarks and by tests that count what a row costs.
 */
package io.anneal.bench.measure;
