/**
 * Whole pieces of work measured beside Cassandra's and beside what the machine can do at best, and the records that come
 * of it: {@code anneal bench}. May import whatever it measures, bench.measure and bench.peer. Imported by the command and
 * by tests. A scenario runs on the thread that calls it, one contender at a time; sending over a socket takes a second.
 */
package io.anneal.bench.scenario;
