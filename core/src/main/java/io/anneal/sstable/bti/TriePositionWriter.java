package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;

/** Writes positions as payloads hold them: big-endian two's complement in the fewest bytes, of which the flags tell the number. */
final class TriePositionWriter {
    private TriePositionWriter() {}

    /** One to eight. */
    static int lengthBytes(long position) {
        long magnitude = position < 0 ? ~position : position;
        int bitsWithSign = Long.SIZE - Long.numberOfLeadingZeros(magnitude) + 1;
        return (bitsWithSign + Byte.SIZE - 1) / Byte.SIZE;
    }

    static void write(long position, int lengthBytes, ByteWriter out) {
        for (int shift = (lengthBytes - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            out.writeByte((int) (position >>> shift));
        }
    }
}
