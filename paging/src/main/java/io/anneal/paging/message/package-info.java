/**
 * Pages between nodes: what is asked and answered on the wire. May import {@code paging.query}. Imported by {@code paging}. What is
 * here is immutable, or made of static functions.
 */
package io.anneal.paging.message;
