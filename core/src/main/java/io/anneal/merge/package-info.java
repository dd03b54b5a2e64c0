/**
 * Many cursors to one: reconciling cells, liveness and deletions, shadowing, dropped columns, purging, range deletions
 * as intervals. Its output is the canonical content of what went in, whatever the split over sources. May import
 * fragment, key, schema, io. Imported by compaction, store and everything above. Everything here is owned by one thread.
 */
package io.anneal.merge;
