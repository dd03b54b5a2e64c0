/**
 * Reads of shards that are suspended at a page's end and kept until the next one, what bounds them, and the reader that puts pages
 * together from them; several replicas that are merged are one shard. May import {@code paging.query} and {@code store}. Imported by
 * {@code paging}. What is public is safe for any thread; a reader belongs to one thread at a time.
 */
package io.anneal.paging.querier;
