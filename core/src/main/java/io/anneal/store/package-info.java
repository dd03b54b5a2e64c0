/**
 * Where everything is wired: the format registry, the files of a table found in Cassandra directories (transaction logs
 * honoured, nothing written), one table's SSTables opened as a single stream, and new SSTables written to a staging
 * directory; and for those who have or want rows, both by column name and Java value. The only package that names a concrete format. May import every package of core but net. Imported by
 * repair, streaming, paging and the command. Opened SSTables may be shared between threads; a staged writer belongs to one.
 */
package io.anneal.store;
