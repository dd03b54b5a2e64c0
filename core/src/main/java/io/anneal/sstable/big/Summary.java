package io.anneal.sstable.big;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.Partitioner;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.file.ComponentFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Summary.db, a sample of Index: {@link BigFormat} has the grammar. The file has no checksum. Immutable. */
final class Summary {
    /** Every entry of Index whose number is a multiple of the interval is sampled at this level. */
    static final int FULL_SAMPLING = 128;

    private static final int INDEX_POSITION_BYTES = 8;

    private final Partitioner partitioner;
    private final byte[] bytes;
    private final int minIndexInterval;
    private final int samplingLevel;
    private final int[] offsets;
    private final int entriesEnd;
    private final byte[] firstKey;
    private final byte[] lastKey;

    private Summary(
            Partitioner partitioner,
            byte[] bytes,
            int minIndexInterval,
            int samplingLevel,
            int[] offsets,
            int entriesEnd,
            byte[] firstKey,
            byte[] lastKey) {
        this.partitioner = partitioner;
        this.bytes = bytes;
        this.minIndexInterval = minIndexInterval;
        this.samplingLevel = samplingLevel;
        this.offsets = offsets;
        this.entriesEnd = entriesEnd;
        this.firstKey = firstKey;
        this.lastKey = lastKey;
    }

    static Summary read(Descriptor descriptor, Partitioner partitioner) throws IOException {
        Path file = descriptor.file(Component.SUMMARY);
        byte[] bytes = ComponentFiles.readWhole(descriptor, Component.SUMMARY);
        ByteReader in = new ByteReader(bytes);
        try {
            return parse(file, partitioner, bytes, in);
        } catch (ByteUnderflowException e) {
            throw new CorruptSSTableException(file, in.offset(), "summary ends too early", e);
        }
    }

    private static Summary parse(Path file, Partitioner partitioner, byte[] bytes, ByteReader in)
            throws CorruptSSTableException {
        int minIndexInterval = in.readInt();
        int count = in.readInt();
        long sizeBytes = in.readLong();
        int samplingLevel = in.readInt();
        int countAtFullSampling = in.readInt();
        int start = in.offset();
        if (minIndexInterval < 1
                || samplingLevel < 1
                || samplingLevel > FULL_SAMPLING
                || countAtFullSampling < count
                || samplingLevel == FULL_SAMPLING && countAtFullSampling != count) {
            throw new CorruptSSTableException(file, 0, "numbers of the summary are out of range");
        }
        if (count < 1 || sizeBytes < 0 || sizeBytes > in.remainingBytes() || (long) count * Integer.BYTES > sizeBytes) {
            throw new CorruptSSTableException(
                    file, 0, "number of entries does not fit the file, count=" + count + ", sizeBytes=" + sizeBytes);
        }
        int entriesEnd = start + (int) sizeBytes;
        int[] offsets = new int[count];
        int last = start + count * Integer.BYTES - INDEX_POSITION_BYTES;
        for (int i = 0; i < count; i++) {
            int offset = Integer.reverseBytes(in.readInt());
            if (offset < 0 || offset > sizeBytes || start + offset < last + INDEX_POSITION_BYTES) {
                throw new CorruptSSTableException(file, in.offset(), "entry is out of order, entry=" + i);
            }
            offsets[i] = start + offset;
            last = offsets[i];
        }
        if (offsets[0] != start + count * Integer.BYTES || entriesEnd - last < INDEX_POSITION_BYTES) {
            throw new CorruptSSTableException(file, start, "entries do not fit the offsets");
        }
        in.seek(entriesEnd);
        byte[] firstKey = in.readBytes(in.readInt());
        byte[] lastKey = in.readBytes(in.readInt());
        if (in.hasRemaining()) {
            throw new CorruptSSTableException(file, in.offset(), "bytes follow the summary");
        }
        return new Summary(partitioner, bytes, minIndexInterval, samplingLevel, offsets, entriesEnd, firstKey, lastKey);
    }

    int count() {
        return offsets.length;
    }

    /** Number of an entry in Index; negative when sampling is not full, which leaves it open. */
    long ordinal(int entry) {
        return samplingLevel == FULL_SAMPLING ? (long) entry * minIndexInterval : -1;
    }

    private int end(int entry) {
        return entry + 1 < offsets.length ? offsets[entry + 1] : entriesEnd;
    }

    byte[] key(int entry) {
        return Arrays.copyOfRange(bytes, offsets[entry], end(entry) - INDEX_POSITION_BYTES);
    }

    long token(int entry) {
        return partitioner.token(bytes, offsets[entry], end(entry) - INDEX_POSITION_BYTES - offsets[entry]);
    }

    /** Where the entry's key stands in Index: little-endian in the file. */
    long indexPosition(int entry) {
        ByteReader in = new ByteReader(bytes);
        in.seek(end(entry) - INDEX_POSITION_BYTES);
        return Long.reverseBytes(in.readLong());
    }

    byte[] firstKey() {
        return firstKey;
    }

    byte[] lastKey() {
        return lastKey;
    }

    /** The last entry whose token is below {@code token}, or -1. */
    int lastBelow(long token) {
        int low = 0;
        int high = offsets.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (token(middle) < token) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }
}
