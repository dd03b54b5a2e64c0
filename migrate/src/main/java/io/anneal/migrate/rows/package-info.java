/**
 * Rows of Cassandra-shaped tables as sources and targets of bulk work: through the driver, from SSTables, in a store. May import
 * migrate.bulk, store and dualdao. Imported by harness and cli. A cursor belongs to one thread; the rest is shared by those of a run.
 */
package io.anneal.migrate.rows;
