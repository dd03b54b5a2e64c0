/**
 * Row-level repair: the master that drives a session, the replica that reads, sums, hands out and receives, and the two
 * ways to reach one, in this process or over the network. May import core: store, merge, fragment, net; its own
 * sub-packages. Imported by migrate, bench and cli. A session belongs to one thread.
 */
package io.anneal.repair;
