/**
 * Bytes: growable heap buffers, bounded readers, variable-length integers, checksums, files and locks on directories. May
 * import environment. Imported by every other package. Everything here is owned by one thread unless it says otherwise.
 */
package io.anneal.io;
