/**
 * The commit log: segments of checksummed records, each a mutation of one table, and their replay. May import fragment, key,
 * schema, io. Imported by table and store. A log belongs to one thread; it syncs when it is told to.
 */
package io.anneal.commitlog;
