/**
 * Repairs as they were before rows: what {@code anneal bench repair} compares with. Whole ranges of partitions are compared by a
 * checksum, and those that differ are sent whole; built on the same replicas, encoding, network and SSTable writer as the product's
 * repair. May import core and streaming. Imported by bench.scenario and by tests. Each side of a session has a thread of its own, of those
 * that a node keeps for waiting.
 */
package io.anneal.bench.oldrepair;
