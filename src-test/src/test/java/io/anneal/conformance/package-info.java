/**
 * Anneal and a real Cassandra over the same files: what each writes, the other reads, and both mean the same. May import
 * everything. Imported by nothing. One thread; tests that share the node keep apart by keyspace.
 */
package io.anneal.conformance;
