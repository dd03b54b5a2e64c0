/**
 * Copying and comparing whole stores, range by range: {@link BulkSource} and {@link BulkTarget} over whatever holds the data, the
 * back-fill and the verification that run over them, and both ready for rows of Cassandra-shaped tables. May import dualdao
 * and core. Imported by harness and cli. Sources and targets are shared by the threads of a run; a cursor belongs to one.
 */
package io.anneal.migrate.bulk;
