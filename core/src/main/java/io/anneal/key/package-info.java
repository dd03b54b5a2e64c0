/**
 * Places in a table: tokens, decorated keys, token ranges, clusterings, positions in a partition and on the ring. May
 * import schema and io. Imported by fragment and everything above. Flyweights belong to one thread; records are
 * immutable.
 */
package io.anneal.key;
