/**
 * Counts, times and sizes: recorders that hot paths feed, and the registry that shows them by name and over JMX. Knows
 * nothing of what is counted. May import nothing of ours. Imported by table and net, which name their metrics. Everything
 * here may be used by any thread.
 */
package io.anneal.metrics;
