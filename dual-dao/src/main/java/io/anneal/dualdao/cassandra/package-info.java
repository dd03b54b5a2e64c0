/**
 * What a service that has the Java driver takes from its Cassandra: a phase store, a mark of the phase, what the driver's exceptions
 * say. May import dualdao.config and dualdao.phase. Imported by migrate. Any thread may call.
 */
package io.anneal.dualdao.cassandra;
