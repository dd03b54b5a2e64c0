package io.anneal.sstable.file;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.KeyView;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Filter.db: the package has the grammar, and {@link FilterBits} tells which bits are a key's. The file has no checksum.
 * Immutable.
 */
public final class BloomFilter {
    private static final int HASHES_MAX = 255;

    private final int hashCount;
    private final byte[] bytes;
    private final int bitsOffset;
    private final FilterBits bits;

    private BloomFilter(int hashCount, byte[] bytes, int bitsOffset) {
        this.hashCount = hashCount;
        this.bytes = bytes;
        this.bitsOffset = bitsOffset;
        bits = new FilterBits(8L * (bytes.length - bitsOffset));
    }

    /** @param version before {@code na} the bytes of each word are in reverse order */
    public static BloomFilter read(Descriptor descriptor, SSTableVersion version) throws IOException {
        Path file = descriptor.file(Component.FILTER);
        byte[] bytes = ComponentFiles.readWhole(descriptor, Component.FILTER);
        ByteReader in = new ByteReader(bytes);
        try {
            int hashCount = in.readInt();
            int words = in.readInt();
            if (hashCount < 1 || hashCount > HASHES_MAX || words < 1 || in.remainingBytes() != 8L * words) {
                throw new CorruptSSTableException(
                        file, 0, "numbers of the filter are out of range, hashes=" + hashCount + ", words=" + words);
            }
            if (!version.isAtLeast(SSTableVersion.NA)) {
                reverseWords(bytes, in.offset());
            }
            return new BloomFilter(hashCount, bytes, in.offset());
        } catch (ByteUnderflowException e) {
            throw new CorruptSSTableException(file, in.offset(), "filter ends too early", e);
        }
    }

    private static void reverseWords(byte[] bytes, int from) {
        for (int word = from; word < bytes.length; word += Long.BYTES) {
            for (int i = 0; i < Long.BYTES / 2; i++) {
                byte low = bytes[word + i];
                bytes[word + i] = bytes[word + Long.BYTES - 1 - i];
                bytes[word + Long.BYTES - 1 - i] = low;
            }
        }
    }

    /** False when the key is certainly not in the SSTable. */
    public boolean mayContain(KeyView key) {
        long increment = key.firstHash();
        long at = key.secondHash();
        for (int i = 0; i < hashCount; i++) {
            long bit = bits.bit(at);
            if ((bytes[bitsOffset + (int) (bit >>> 3)] >>> (bit & 7) & 1) == 0) {
                return false;
            }
            at += increment;
        }
        return true;
    }
}
