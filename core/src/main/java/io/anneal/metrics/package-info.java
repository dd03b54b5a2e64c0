/**
 * Counts, times and sizes: recorders that hot paths feed, the registry that shows them by name and over JMX, and what a store
 * and its tables count. May import nothing of ours. Imported by table, and by net, which names its own. Everything here may be
 * used by any thread.
 */
package io.anneal.metrics;
