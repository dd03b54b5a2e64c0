/**
 * Copying and comparing whole stores, range by range: {@link BulkSource} and {@link BulkTarget} over whatever holds the data, the
 * back-fill and the verification that run over them, there and back. May import dualdao and job. Imported by migrate.rows and harness. Sources and targets are shared by the threads of a run; a cursor belongs to one.
 */
package io.anneal.migrate.bulk;
