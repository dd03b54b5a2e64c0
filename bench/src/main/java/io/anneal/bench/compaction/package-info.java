/**
 * What compacting costs. May import bench.measure, bench.data and core. Imported by nobody. Each benchmark runs in one thread; its
 * Javadoc has the question and the command.
 */
package io.anneal.bench.compaction;
