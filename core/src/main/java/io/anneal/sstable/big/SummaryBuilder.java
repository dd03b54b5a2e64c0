package io.anneal.sstable.big;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The Summary component: every so many keys of Index with their positions there, then the first and the last key. Offsets
 * and positions are little-endian, since Cassandra maps this part as memory of its machine.
 */
final class SummaryBuilder {
    /** Nothing was thinned out. */
    private static final int FULL_SAMPLING_LEVEL = 128;
    /** Cassandra stops to sample at two gigabytes; half of that leaves room for the offsets in one array. */
    private static final int ENTRIES_MAX_BYTES = 1 << 30;

    private final int indexInterval;
    private final ByteWriter offsets = new ByteWriter(1024);
    private final ByteWriter entries = new ByteWriter(4096);
    private final ByteWriter firstKey = new ByteWriter(64);
    private final ByteWriter lastKey = new ByteWriter(64);

    private long keyCount;
    private long nextSample;

    SummaryBuilder(int indexInterval) {
        requireInterval(indexInterval);
        this.indexInterval = indexInterval;
    }

    static void requireInterval(int indexInterval) {
        if (indexInterval < 1) {
            throw new IllegalArgumentException("option is below 1, option=min_index_interval, value=" + indexInterval);
        }
    }

    void add(byte[] key, int offset, int lengthBytes, long indexPosition) {
        if (keyCount == nextSample && entries.lengthBytes() < ENTRIES_MAX_BYTES) {
            nextSample += indexInterval;
            offsets.writeInt(entries.lengthBytes());
            entries.writeBytes(key, offset, lengthBytes);
            entries.writeLong(Long.reverseBytes(indexPosition));
        }
        if (keyCount == 0) {
            firstKey.writeBytes(key, offset, lengthBytes);
        }
        lastKey.clear();
        lastKey.writeBytes(key, offset, lengthBytes);
        keyCount++;
    }

    void write(Path file, OutputFile.Opener opener) throws IOException {
        int sampleCount = offsets.lengthBytes() / Integer.BYTES;
        ByteWriter out = new ByteWriter(64 + offsets.lengthBytes());
        out.writeInt(indexInterval);
        out.writeInt(sampleCount);
        out.writeLong((long) offsets.lengthBytes() + entries.lengthBytes());
        out.writeInt(FULL_SAMPLING_LEVEL);
        out.writeInt((int) ((keyCount + indexInterval - 1) / indexInterval));
        ByteReader reader = new ByteReader().wrap(offsets.array(), 0, offsets.lengthBytes());
        for (int i = 0; i < sampleCount; i++) {
            out.writeInt(Integer.reverseBytes(reader.readInt() + offsets.lengthBytes()));
        }
        try (OutputFile target = OutputFile.open(file, opener)) {
            target.write(out);
            target.write(entries);
            out.clear();
            writeKey(firstKey, out);
            writeKey(lastKey, out);
            target.write(out);
            target.sync();
        }
    }

    private static void writeKey(ByteWriter key, ByteWriter out) {
        out.writeInt(key.lengthBytes());
        out.writeBytes(key.array(), 0, key.lengthBytes());
    }
}
