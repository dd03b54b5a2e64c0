/**
 * Beside a live Cassandra node: what it is asked by JMX and CQL, and the rule by which rows are imported into it so that
 * nothing deleted comes back. No class of Cassandra's is used; JMX needs the JDK alone. May import {@code node} and what
 * that imports. Imported by the command. A {@link io.anneal.agent.LiveNode} may be shared between threads; one thread at a
 * time owns {@link io.anneal.agent.GuardedTables}.
 */
package io.anneal.agent;
