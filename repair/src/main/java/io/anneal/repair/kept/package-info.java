/**
 * What a replica keeps of its sums from one repair to the next, so that rows that nothing has changed since need not be read again: see
 * decision 23 in {@code docs/decisions}. May import repair.message, repair.row and below. Imported by repair. Owned by the
 * session's thread.
 */
package io.anneal.repair.kept;
