/**
 * Beside a live Cassandra node: what it is asked by JMX and CQL, the rule by which rows are imported into it so that
 * nothing deleted comes back, the agent that keeps it for those who ask over the network, and holds over many agents. No class of Cassandra's is used; JMX needs the JDK alone. May import {@code node} and what
 * that imports. Imported by the command. A {@link io.anneal.agent.LiveNode} and an {@link io.anneal.agent.Agent} may be shared between threads; one thread at a
 * time owns {@link io.anneal.agent.GuardedTables}.
 */
package io.anneal.agent;
