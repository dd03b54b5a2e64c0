/**
 * Sets of 64-bit hashes, and finding in what two of them differ by few bytes: lists, sums of ranges, sketches. Knows
 * neither rows nor messages. May import core: io. Imported by repair and repair.message. Everything here belongs to one
 * thread.
 */
package io.anneal.repair.hashes;
