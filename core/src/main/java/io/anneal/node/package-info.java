/**
 * What a process that holds replicas has once: a {@link io.anneal.node.Replica} is one replica's data of one table, read as
 * fragments and written through a {@link io.anneal.node.Receiving}, whether it is a table of a store or a Cassandra directory
 * beside a staging directory. May import all of core. Imported by repair, migrate, agent and the command. A source of replicas may be
 * shared between threads; a replica and what it receives belong to one at a time.
 */
package io.anneal.node;
