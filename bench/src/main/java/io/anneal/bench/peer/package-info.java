/**
 * A real Cassandra node, or its readers and writers alone, started in a process of its own, for conformance tests and for
 * benchmarks that compare. Its
 * jars and the agent inside it are the project {@code bench/peer}, which the build of {@code src-test} runs before
 * its tests (plain {@code test} phase, no failsafe); by hand: {@code mvn -f bench/peer/pom.xml process-classes}. They
 * are found by the system property {@code anneal.peer.directory}, else in {@code bench/peer/target} of the checkout
 * around the working directory. Imports nothing of ours. Imported by src-test and the benchmarks. A node may be called
 * from any thread; its requests run one after the other.
 */
package io.anneal.bench.peer;
