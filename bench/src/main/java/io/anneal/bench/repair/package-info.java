/**
 * What the steps of a repair cost. May import bench.measure, bench.data, repair.row, repair.hashes and core. Imported by
 * nobody. Each benchmark runs in one thread; its Javadoc has the question and the command.
 */
package io.anneal.bench.repair;
