/**
 * What a service with a relational database takes from it, by {@code java.sql} alone: the keys of a table. May
 * import dualdao.config. Imported by migrate. Any thread may call.
 */
package io.anneal.dualdao.jdbc;
