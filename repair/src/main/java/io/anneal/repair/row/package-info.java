/**
 * The window of one replica: the row buffer with its hashes, the deletions clipped to the sync boundary, and finding an
 * item by place or hash. May import core: merge, fragment, key and below. Imported by repair. Owned by the session's
 * thread.
 */
package io.anneal.repair.row;
