/**
 * Bytes: growable heap buffers, bounded readers, variable-length integers, checksums and files. May import nothing of
 * ours. Imported by every other package. Everything here is owned by one thread unless it says otherwise.
 */
package io.anneal.io;
