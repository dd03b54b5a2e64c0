/**
 * Counts and latencies of both sides, and how those of several instances become one. May import dualdao.phase and
 * dualdao.compare. Imported by dualdao and migrate. Any thread may record, free of locks and allocation.
 */
package io.anneal.dualdao.stats;
