package io.anneal.sstable.big;

import io.anneal.key.KeyView;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.PartitionLookup;
import io.anneal.sstable.data.PrefixDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Finds places in the data through Summary and Index, so that a cursor can skip. Neither file has checksums: what is
 * found is a claim that the cursor checks against the data. Without an Index nothing is found, and the cursor skips by
 * reading. Owned by one thread.
 */
final class BigPartitionLookup implements PartitionLookup {
    private static final int END_OF_PARTITION_BYTES = 1;

    private final IndexCursor index;
    private final PrefixDecoder prefixes;
    private final Summary summary;
    private final Path summaryFile;
    private byte[] foundKey = {};
    private long foundPosition;

    private BigPartitionLookup(IndexCursor index, PrefixDecoder prefixes, Summary summary, Path summaryFile) {
        this.index = index;
        this.prefixes = prefixes;
        this.summary = summary;
        this.summaryFile = summaryFile;
    }

    static BigPartitionLookup open(DataReader reader, Summary summary) throws IOException {
        boolean hasIndex = reader.descriptor().has(Component.INDEX);
        return new BigPartitionLookup(
                hasIndex ? IndexCursor.open(reader.descriptor()) : null,
                reader.prefixes(),
                summary,
                reader.descriptor().file(Component.SUMMARY));
    }

    @Override
    public boolean seekLastBelow(long token) throws IOException {
        if (index == null) {
            return false;
        }
        seekSample(token);
        boolean found = false;
        while (index.next() && index.key().token() < token) {
            found = true;
            KeyView key = index.key();
            foundPosition = index.dataPosition();
            foundKey = key.toDecoratedKey().bytes();
        }
        return found;
    }

    /** Stands Index at the last sampled entry below {@code token}, once the sample is proven to be there. */
    private void seekSample(long token) throws IOException {
        index.seek(0);
        int entry = summary == null ? -1 : summary.lastBelow(token);
        if (entry < 0) {
            return;
        }
        long position = summary.indexPosition(entry);
        if (position < 0 || position >= index.lengthBytes()) {
            throw summaryCorrupt(entry, "position lies behind the end of Index");
        }
        index.seek(position);
        index.next();
        KeyView key = index.key();
        byte[] sampled = summary.key(entry);
        if (!Arrays.equals(sampled, 0, sampled.length, key.buffer(), key.offset(), key.offset() + key.lengthBytes())) {
            throw summaryCorrupt(entry, "key is not the one in Index");
        }
        index.seek(position);
    }

    private CorruptSSTableException summaryCorrupt(int entry, String reason) {
        return new CorruptSSTableException(
                summaryFile, CorruptSSTableException.NO_POSITION, reason + ", entry=" + entry);
    }

    @Override
    public long dataPosition() {
        return foundPosition;
    }

    @Override
    public void requireSame(byte[] buffer, int offset, int lengthBytes) throws CorruptSSTableException {
        if (!Arrays.equals(foundKey, 0, foundKey.length, buffer, offset, offset + lengthBytes)) {
            throw index.corrupt("key is not at its position in the data, dataPosition=" + foundPosition, null);
        }
    }

    /**
     * {@inheritDoc} Believed only when the promoted index of the partition says that it ends there.
     */
    @Override
    public boolean seekAfter(KeyView key, long partitionPosition) throws IOException {
        if (index == null) {
            return false;
        }
        seekSample(key.token());
        while (index.next() && index.key().token() <= key.token()) {
            if (index.dataPosition() == partitionPosition && index.key().sameAs(key)) {
                return index.promotedLengthBytes() > 0 && seekAfterPromoted(partitionPosition);
            }
        }
        return false;
    }

    private boolean seekAfterPromoted(long partitionPosition) throws IOException {
        PromotedIndex promoted = PromotedIndex.of(index, prefixes);
        long end = 0;
        while (promoted.nextBlock()) {
            end = partitionPosition + promoted.blockOffset() + promoted.blockWidth();
        }
        // A last block that its size ended leaves out the end of the partition.
        if (!index.next() || index.dataPosition() != end && index.dataPosition() != end + END_OF_PARTITION_BYTES) {
            return false;
        }
        foundPosition = index.dataPosition();
        foundKey = index.key().toDecoratedKey().bytes();
        return true;
    }

    @Override
    public void close() throws IOException {
        if (index != null) {
            index.close();
        }
    }
}
