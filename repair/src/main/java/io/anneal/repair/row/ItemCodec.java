package io.anneal.repair.row;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.ItemHash;
import io.anneal.fragment.ItemKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.merge.Purger;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.Arrays;

/**
 * Encodes items unpurged and hashes their purged view, which is how a session sees every item (rule 11 of the canonical
 * form). What was written after the session's cut-off has no view. The hash of the last row encoded is kept here. Allocates nothing for a row. Owned by one thread.
 */
public final class ItemCodec {
    private final CanonicalEncoder encoder;
    private final Purger purger;
    private final ItemHash hash;
    private final ByteWriter purged = new ByteWriter(1024);
    private final ByteWriter clamped = new ByteWriter(1024);
    private final Row view = new Row();
    private final KeyView keyView = new KeyView();
    private final Clustering clustering = new Clustering();
    /** What was written later is not hashed. */
    private final long cutoffMicros;

    private boolean hashed;
    private boolean differsFromHashed;
    private boolean recent;

    /** Hashes whatever its write time is. */
    public ItemCodec(TableSchema schema, long localDeletionTimeMaxSeconds, Purger purger, long hashSeed) {
        this(schema, localDeletionTimeMaxSeconds, purger, hashSeed, Long.MAX_VALUE);
    }

    /** @param cutoffMicros of what holds a later write nothing is hashed; {@link Long#MAX_VALUE} for none */
    public ItemCodec(
            TableSchema schema, long localDeletionTimeMaxSeconds, Purger purger, long hashSeed, long cutoffMicros) {
        this.cutoffMicros = cutoffMicros;
        encoder = new CanonicalEncoder(schema, localDeletionTimeMaxSeconds);
        this.purger = purger;
        hash = new ItemHash(hashSeed);
    }

    /** Appends the row and hashes its purged view; returns the length in bytes. */
    public int row(KeyView key, Row row, ByteWriter out) {
        int offset = out.lengthBytes();
        int length = encoder.row(key, row, out);
        hash(key, row, out.array(), offset, length);
        return length;
    }

    /** Writes a row that is too large for memory to a file and hashes its purged view there. */
    public SpillFile.Spilled spill(KeyView key, Row row, SpillFile file) throws IOException {
        SpillFile.Spilled whole = file.append(out -> encoder.row(key, row, out));
        if (!view(row)) {
            hash.hash(file.map(whole));
        } else if (hashed) {
            SpillFile.Spilled left = file.append(out -> encoder.row(key, view, out));
            hash.hash(file.map(left));
            file.forget(left);
        }
        view.release();
        return whole;
    }

    /** Gives back what a large row needed. */
    public void release() {
        view.release();
        purged.shrink();
        clamped.shrink();
    }

    /** Appends the place of a large row: an item with its key and clustering and no content; returns its length in bytes. */
    public int place(KeyView key, Row row, ByteWriter out) {
        view.clear(row.isStatic());
        if (!row.isStatic()) {
            view.clustering().wrap(row.clustering());
        }
        int lengthBytes = encoder.row(key, view, out);
        // The clustering lies in the buffer of the whole row, which would stay until the next one.
        view.release();
        return lengthBytes;
    }

    /**
     * Hashes the purged view of a row that came encoded, and says whether its bytes are those that {@link #row} would
     * append. They are, unless a time in it exceeds the ceiling: an item that can be read has the one form that is allowed.
     *
     * @param row what the item holds, read with all checks
     */
    public boolean received(EncodedItem item, Row row) {
        if (encoder.clamps(row)) {
            clamped.clear();
            row(item.key(), row, clamped);
            return false;
        }
        assert isCanonical(item, row) : row;
        hash(item.key(), row, item.buffer(), item.offset(), item.lengthBytes());
        return true;
    }

    private boolean isCanonical(EncodedItem item, Row row) {
        clamped.clear();
        int length = encoder.row(item.key(), row, clamped);
        return Arrays.equals(clamped.array(), 0, length, item.buffer(), item.offset(), item.endOffset());
    }

    /** Hashes the purged view of a row, whose own encoding is there already. */
    private void hash(KeyView key, Row row, byte[] encoded, int offset, int length) {
        if (!view(row)) {
            hash.hash(encoded, offset, length);
        } else if (hashed) {
            purged.clear();
            encoder.row(key, view, purged);
            hash.hash(purged.array(), 0, purged.lengthBytes());
        }
    }

    /** Whether what is hashed of the row is not the row itself: then it is the view, or nothing. */
    private boolean view(Row row) {
        boolean wasPurged = purger.purge(row, view);
        Row left = wasPurged ? view : row;
        recent = cutoffMicros != Long.MAX_VALUE && left.newestTimestampMicros() > cutoffMicros;
        hashed = !recent && !(wasPurged && view.isEmpty());
        differsFromHashed = wasPurged || recent;
        return differsFromHashed;
    }

    /** Appends a row's place: an item with its key and clustering and no content. */
    public void place(EncodedItem row, ByteWriter out) throws CorruptItemException {
        view.clear(row.kind() == ItemKind.STATIC_ROW);
        if (row.kind() == ItemKind.CLUSTERING_ROW) {
            row.readPosition(view.clustering());
        }
        encoder.row(row.key(), view, out);
    }

    /** The hash of a row's place, whatever is in the row; the hash of the last row encoded is lost. */
    public long placeHash(EncodedItem row) throws CorruptItemException {
        purged.clear();
        place(row, purged);
        hash.hash(purged.array(), 0, purged.lengthBytes());
        return hash.low();
    }

    /** Whether something of the last row is left after purging, and all of that is older than the cut-off; if not it is a ghost. */
    public boolean isHashed() {
        return hashed;
    }

    /** Whether purging, or the cut-off, hides something of the last row. */
    public boolean hidesSomething() {
        return differsFromHashed;
    }

    /** Whether the last row is a ghost since something of it was written after the cut-off. */
    public boolean isRecent() {
        return recent;
    }

    /** Upper half of the last row's hash; 0 of a ghost. */
    public long high() {
        return hashed ? hash.high() : 0;
    }

    /** Lower half of the last row's hash; 0 of a ghost. */
    public long low() {
        return hashed ? hash.low() : 0;
    }

    public HashedDeletion deletion(DeletionItem item) {
        byte[] encoded = encode(item);
        hash.hash(encoded, 0, encoded.length);
        return new HashedDeletion(item, encoded, !isGhost(item.deletion()), hash.high(), hash.low());
    }

    public byte[] encode(DeletionItem item) {
        ByteWriter out = new ByteWriter(64);
        keyView.wrap(item.key());
        if (item.isPartition()) {
            encoder.partitionDeletion(
                    keyView, item.deletion().timestampMicros(), item.deletion().localDeletionTimeSeconds(), out);
        } else {
            encoder.rangeDeletion(keyView, item.range().orElseThrow(), out);
        }
        return out.toByteArray();
    }

    /** Whether purging, or the cut-off, hides the deletion. */
    public boolean isGhost(DeletionTime deletion) {
        return !deletion.isLive() && (isPurgeable(deletion) || deletion.timestampMicros() > cutoffMicros);
    }

    /** Whether the cut-off hides a deletion that purging leaves. */
    public boolean isRecent(DeletionTime deletion) {
        return deletion.timestampMicros() > cutoffMicros && !deletion.isLive() && !isPurgeable(deletion);
    }

    private boolean isPurgeable(DeletionTime deletion) {
        return purger.rule().isPurgeable(deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
    }

    /** The deletion that an item holds; copies. */
    public DeletionItem readDeletion(EncodedItem item) throws CorruptItemException {
        DecoratedKey key = item.key().toDecoratedKey();
        RangeDeletion range = new RangeDeletion();
        if (item.kind() == ItemKind.PARTITION_DELETION) {
            item.readPartitionDeletion(range);
            return DeletionItem.ofPartition(
                    key, new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds()));
        }
        item.readRangeDeletion(range);
        return DeletionItem.ofRange(key, range.copy());
    }

    /** Where a row stands; copies. */
    public RingPosition position(EncodedItem row) throws CorruptItemException {
        DecoratedKey key = row.key().toDecoratedKey();
        if (row.kind() == ItemKind.STATIC_ROW) {
            return RingPosition.of(key, PositionInPartition.STATIC);
        }
        row.readPosition(clustering);
        return RingPosition.of(key, PositionInPartition.at(clustering.copy()));
    }

    public static boolean isDeletion(EncodedItem item) {
        return item.kind() == ItemKind.PARTITION_DELETION || item.kind() == ItemKind.RANGE_DELETION;
    }
}
