/**
 * The library's front, where everything is wired. A {@link io.anneal.store.Store} with its tables, live or over Cassandra's
 * directories; rows both ways by column name and Java value, whatever they are read from or written to; the SSTables of a
 * table as a single stream; new SSTables in a staging directory. May import every package of core but net and the concrete
 * formats. Imported by node, repair, streaming, paging, migrate, the testkit and the command. A store, its tables and opened
 * SSTables may be shared between threads; a cursor, a builder of writes and a writer belong to one.
 */
package io.anneal.store;
