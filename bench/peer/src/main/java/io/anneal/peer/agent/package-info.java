/**
 * The agent inside the peer: starts Cassandra in its own process and answers requests on standard input and output.
 * May import Cassandra, and nothing of ours; nothing imports it, {@code io.anneal.bench.peer} starts it and speaks
 * its protocol. One thread reads, works and answers, one request after the other.
 */
package io.anneal.peer.agent;
