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
 * found is a claim that the cursor checks against the data. Owned by one thread.
 */
final class BigPartitionLookup implements PartitionLookup {
    private static final int END_OF_PARTITION_BYTES = 1;

    private final IndexCursor index;
    private final DeletionTimes deletions;
    private final PrefixDecoder prefixes;
    private final ClusteringComparator comparator;
    private final Summary summary;
    private final Path summaryFile;
    private byte[] foundKey = new byte[64];
    private int foundKeyBytes;
    private long foundToken;
    private long foundPosition;

    /** @param summary null when there is none */
    BigPartitionLookup(
            IndexCursor index,
            DeletionTimes deletions,
            PrefixDecoder prefixes,
            ClusteringComparator comparator,
            Summary summary,
            Path summaryFile) {
        this.index = index;
        this.deletions = deletions;
        this.prefixes = prefixes;
        this.comparator = comparator;
        this.summary = summary;
        this.summaryFile = summaryFile;
    }

    @Override
    public boolean seekLastBelow(long token) throws IOException {
        seekSample(token);
        boolean found = false;
        long nextPosition = 0;
        while (index.next() && index.key().token() < token) {
            found = true;
            find();
            nextPosition = index.nextPosition();
        }
        index.seek(nextPosition);
        return found;
    }

    /** Keeps the current entry of Index as what was found. */
    private void find() {
        KeyView key = index.key();
        foundToken = key.token();
        foundPosition = index.dataPosition();
        foundKeyBytes = key.lengthBytes();
        if (foundKey.length < foundKeyBytes) {
            foundKey = new byte[foundKeyBytes];
        }
        System.arraycopy(key.buffer(), key.offset(), foundKey, 0, foundKeyBytes);
    }

    @Override
    public boolean seek(KeyView key) throws IOException {
        seekSample(key.token());
        while (index.next()) {
            int order = index.key().compareTo(key);
            if (order >= 0) {
                find();
                return order == 0;
            }
        }
        return false;
    }

    @Override
    public boolean next() throws IOException {
        if (!index.next()) {
            return false;
        }
        find();
        return true;
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
        if (lengthBytes <= bytesMax) {
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
        return Optional.of(new DecoratedKey(foundToken, Arrays.copyOf(foundKey, foundKeyBytes)));
    }

    @Override
    public long dataPosition() {
        return foundPosition;
    }

    @Override
    public void requireSame(byte[] buffer, int offset, int lengthBytes) throws CorruptSSTableException {
        if (!Arrays.equals(foundKey, 0, foundKeyBytes, buffer, offset, offset + lengthBytes)) {
            throw index.corrupt("key is not at its position in the data, dataPosition=" + foundPosition, null);
        }
    }

    /**
     * {@inheritDoc} Believed only when the promoted index of the partition says that it ends there.
     */
    @Override
    public boolean seekAfter(KeyView key, long partitionPosition) throws IOException {
        seekSample(key.token());
        while (index.next() && index.key().token() <= key.token()) {
            if (index.dataPosition() == partitionPosition && index.key().sameAs(key)) {
                return index.promotedLengthBytes() > 0 && seekAfterPromoted(partitionPosition);
            }
        }
        return false;
    }

    private boolean seekAfterPromoted(long partitionPosition) throws IOException {
        PromotedIndex promoted = PromotedIndex.of(index, deletions, prefixes);
        if (promoted.blockCount() == 0) {
            return false;
        }
        promoted.seek(promoted.blockCount() - 1);
        long end = partitionPosition + promoted.blockOffset() + promoted.blockWidth();
        // A last block that its size ended leaves out the end of the partition.
        if (!index.next() || index.dataPosition() != end && index.dataPosition() != end + END_OF_PARTITION_BYTES) {
            return false;
        }
        find();
        return true;
    }

    @Override
    public void close() {
        // Index belongs to the reader.
    }
}
