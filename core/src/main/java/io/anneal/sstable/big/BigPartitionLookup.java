package io.anneal.sstable.big;

import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.data.PartitionLookup;
import io.anneal.sstable.data.RowLookup;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.PrefixDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Finds places in the data through Summary and Index, so that a cursor can skip. Neither file has checksums: what is
 * found is a claim that the cursor checks against the data. What was found is where the cursor over Index stands. Owned by
 * one thread.
 */
final class BigPartitionLookup implements PartitionLookup {
    private static final int END_OF_PARTITION_BYTES = 1;

    private final IndexCursor index;
    private final DeletionTimes deletions;
    private final PrefixDecoder prefixes;
    private final ClusteringComparator comparator;
    private final Summary summary;
    private final Path summaryFile;
    private final long dataLengthBytes;

    /** @param summary null when there is none */
    BigPartitionLookup(
            IndexCursor index,
            DeletionTimes deletions,
            PrefixDecoder prefixes,
            ClusteringComparator comparator,
            Summary summary,
            Path summaryFile,
            long dataLengthBytes) {
        this.index = index;
        this.deletions = deletions;
        this.prefixes = prefixes;
        this.comparator = comparator;
        this.summary = summary;
        this.summaryFile = summaryFile;
        this.dataLengthBytes = dataLengthBytes;
    }

    @Override
    public boolean seekLastBelow(long token) throws IOException {
        seekSample(token);
        long foundEntry = -1;
        while (index.next() && index.key().token() < token) {
            foundEntry = index.position();
        }
        index.seek(Math.max(0, foundEntry));
        return foundEntry >= 0 && index.next();
    }

    @Override
    public boolean seek(KeyView key) throws IOException {
        seekSample(key.token());
        while (index.next()) {
            int order = index.key().compareTo(key);
            if (order >= 0) {
                return order == 0;
            }
        }
        return false;
    }

    @Override
    public boolean next() throws IOException {
        return index.next();
    }

    @Override
    public Optional<RowLookup> rows() throws IOException {
        return index.promotedLengthBytes() == 0
                ? Optional.empty()
                : Optional.of(new BigRowLookup(index, PromotedIndex.of(index, deletions, prefixes), comparator));
    }

    /** {@inheritDoc} It holds nothing that depends on where the partition lies. */
    @Override
    public void copyRowIndex(ByteWriter out, int bytesMax) throws IOException {
        int lengthBytes = index.promotedLengthBytes();
        if (lengthBytes > 0 && lengthBytes <= bytesMax) {
            DataWindow window = index.promoted();
            window.want(lengthBytes);
            int offset = window.in().skip(lengthBytes);
            out.writeBytes(window.in().array(), offset, lengthBytes);
        }
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
    public Optional<DecoratedKey> key() {
        return Optional.of(index.key().toDecoratedKey());
    }

    @Override
    public long dataPosition() {
        return index.dataPosition();
    }

    @Override
    public void requireSame(byte[] buffer, int offset, int lengthBytes) throws CorruptSSTableException {
        KeyView key = index.key();
        if (!Arrays.equals(
                key.buffer(), key.offset(), key.offset() + key.lengthBytes(), buffer, offset, offset + lengthBytes)) {
            throw index.corrupt("key is not at its position in the data, dataPosition=" + index.dataPosition(), null);
        }
    }

    /**
     * {@inheritDoc} Believed only when the promoted index of the partition says that it ends there.
     */
    @Override
    public long seekAfter(KeyView key, long partitionPosition) throws IOException {
        seekSample(key.token());
        while (index.next() && index.key().token() <= key.token()) {
            if (index.dataPosition() == partitionPosition && index.key().sameAs(key)) {
                return index.promotedLengthBytes() > 0 ? seekAfterPromoted(partitionPosition) : UNKNOWN;
            }
        }
        return UNKNOWN;
    }

    private long seekAfterPromoted(long partitionPosition) throws IOException {
        PromotedIndex promoted = PromotedIndex.of(index, deletions, prefixes);
        if (promoted.blockCount() == 0) {
            return UNKNOWN;
        }
        promoted.seek(promoted.blockCount() - 1);
        long end = partitionPosition + promoted.blockOffset() + promoted.blockWidth();
        long next = index.next() ? index.dataPosition() : dataLengthBytes;
        // A last block that its size ended leaves out the end of the partition.
        return next == end || next == end + END_OF_PARTITION_BYTES ? next : UNKNOWN;
    }

    @Override
    public long heldBytes() {
        return index.promoted().heldBytes();
    }

    @Override
    public void close() {
        // Index belongs to the reader.
    }
}
