/**
 * The story of a migration as charts: latencies of both sides over time, with what happened when. May import dualdao. Imported by
 * harness and cli. A recorder takes any thread; the rest belongs to one.
 */
package io.anneal.harness.report;
