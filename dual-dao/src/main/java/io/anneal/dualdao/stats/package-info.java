/** Counts and latencies of both sides. May import dualdao.phase. Imported by dualdao and migrate. Recording is free of locks and allocation. */
package io.anneal.dualdao.stats;
