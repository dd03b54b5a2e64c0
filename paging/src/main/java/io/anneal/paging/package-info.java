/**
 * Paged reads that keep their place: pager, paging state, one or many replicas. May import all of paging and {@code core}: node, store,
 * fragment, key. Imported by migrate, cli and bench.
 */
package io.anneal.paging;
