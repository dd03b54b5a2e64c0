/**
 * What a dual DAO costs beside a direct call. May import bench.measure, bench.data and dualdao. Imported by nobody. Each
 * benchmark runs in one thread; its Javadoc has the question and the command.
 */
package io.anneal.bench.dualdao;
