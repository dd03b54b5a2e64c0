/**
 * Tables, columns and types: how values compare, what is valid, how they print, read from CQL text or from Cassandra's
 * class names. May import io, and its own generated grammar below it. Imported by everything above. Immutable; safe to
 * share between threads.
 */
package io.anneal.schema;
