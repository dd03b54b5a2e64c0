/**
 * Paged reads that keep their place: pager, page, paging state. Empty until its turn comes. May import {@code
 * core}: store, fragment, key. Imported by migrate, cli and bench.
 */
package io.anneal.paging;
