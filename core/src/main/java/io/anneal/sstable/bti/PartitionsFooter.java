package io.anneal.sstable.bti;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.util.Arrays;

/**
 * The end of Partitions: {@link BtiFormat} has the grammar.
 *
 * @param root where the trie's root lies
 * @param count of the partitions
 */
record PartitionsFooter(byte[] firstKey, byte[] lastKey, long count, long root) {
    private static final int NUMBERS_BYTES = 3 * Long.BYTES;
    private static final int KEYS_MAX_BYTES = 2 * (Short.BYTES + 0xFFFF);

    static PartitionsFooter read(TriePages pages) throws IOException {
        long numbersPosition = pages.lengthBytes() - NUMBERS_BYTES;
        if (numbersPosition < 0) {
            throw pages.corrupt(0, "file is shorter than its end", null);
        }
        ByteWriter bytes = new ByteWriter(64);
        pages.copy(numbersPosition, NUMBERS_BYTES, bytes);
        ByteReader in = new ByteReader().wrap(bytes.array(), 0, bytes.lengthBytes());
        long keysPosition = in.readLong();
        long count = in.readLong();
        long root = in.readLong();
        long keysBytes = numbersPosition - keysPosition;
        if (keysPosition < 0 || keysBytes < 0 || keysBytes > KEYS_MAX_BYTES || root < 0 || root >= keysPosition) {
            throw pages.corrupt(
                    numbersPosition,
                    "positions in the end of the file are out of range, keysPosition=" + keysPosition + ", root="
                            + root,
                    null);
        }
        bytes.clear();
        pages.copy(keysPosition, (int) keysBytes, bytes);
        byte[] keys = bytes.toByteArray();
        int firstEnd = keyEnd(keys, 0, pages, keysPosition);
        int lastEnd = keyEnd(keys, firstEnd, pages, keysPosition);
        if (lastEnd != keys.length) {
            throw pages.corrupt(keysPosition, "first and last key do not fill their place", null);
        }
        byte[] firstKey = Arrays.copyOfRange(keys, Short.BYTES, firstEnd);
        byte[] lastKey = Arrays.copyOfRange(keys, firstEnd + Short.BYTES, lastEnd);
        return new PartitionsFooter(firstKey, lastKey, count, root);
    }

    private static int keyEnd(byte[] keys, int offset, TriePages pages, long keysPosition)
            throws CorruptSSTableException {
        if (offset + Short.BYTES > keys.length) {
            throw pages.corrupt(keysPosition, "first and last key do not fill their place", null);
        }
        return offset + Short.BYTES + ((keys[offset] & 0xFF) << 8 | keys[offset + 1] & 0xFF);
    }
}
