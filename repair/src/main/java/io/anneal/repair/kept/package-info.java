/**
 * What a replica keeps of its sums from one repair to the next, so that rows that nothing has changed since need not be read again.
 * See decision 23 in {@code docs/decisions}.
 */
package io.anneal.repair.kept;
