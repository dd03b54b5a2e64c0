package io.anneal.paging.querier;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.RowMatcher;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.Arrays;

/**
 * Fragments as items of a block, partition by partition: a static row is held back until a row of its partition is wanted, or its
 * partition has no other row; a range deletion becomes an item where it ends, or the block does, and is put where it started.
 * Allocates nothing per row. Owned by one thread at a time.
 */
final class PartitionItems {
    private static final byte[] NOTHING = new byte[0];
    private static final int NONE = -1;

    private final CanonicalEncoder encoder;
    private final ClusteringComparator comparator;
    /** Null where every row is wanted. */
    private final RowMatcher matcher;

    private final boolean wantsDeletions;
    private final boolean reversed;
    private final boolean wantsStaticOnly;
    private final boolean hasStatics;

    private Block block;
    private ByteWriter out;
    /** Of the current partition: asked for at its start alone, since a row's way through all cursors costs some of its time. */
    private KeyView key;

    private boolean isWithin;
    /** Whether the partition's begin is known to the block, or to one before. */
    private boolean isBegun;
    /** Whether the partition has a row that exists. */
    private boolean hasRow;

    private boolean isStaticChecked;
    /** Where a static row begins that waits for a row. */
    private int staticAt = NONE;
    /** The same between two blocks. */
    private byte[] heldStatic = NOTHING;

    private long firstExpirySeconds = Long.MAX_VALUE;
    private long tombstoneCount;

    private final RangeDeletion deletion = new RangeDeletion();
    private boolean isDeletionOpen;
    private Clustering deletionStart = new Clustering();
    private int deletionStartWeight;
    private int deletionAt;

    PartitionItems(ReadQuery query, TableSchema schema) {
        encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
        comparator = ClusteringComparator.of(schema);
        wantsDeletions = query.withDeletions();
        reversed = query.reversed();
        // A merge with other replicas may make other rows of these: who merges filters.
        matcher =
                query.filter().isAll() || wantsDeletions ? null : query.filter().bind(schema);
        wantsStaticOnly = isWhole(query.slices()) && (matcher == null || matcher.matchesWithoutRow());
        hasStatics = !schema.staticColumns().isEmpty();
    }

    private static boolean isWhole(Slices slices) {
        if (slices.size() != 1) {
            return false;
        }
        Slice only = slices.get(0);
        return only.from().size() == 0
                && only.fromWeight() == ClusteringComparator.BEFORE
                && only.to().size() == 0
                && only.toWeight() == ClusteringComparator.AFTER;
    }

    /** Whether the next item may be one of the partition that the last one is of. */
    boolean isWithinPartition() {
        return isWithin && isBegun;
    }

    boolean hasRow() {
        return hasRow;
    }

    boolean hasStatics() {
        return hasStatics;
    }

    /** When the first of what the block holds expires, or of what is held for the next one. */
    long firstExpirySeconds() {
        return firstExpirySeconds;
    }

    /** Tombstones added. */
    long tombstoneCount() {
        return tombstoneCount;
    }

    /** Goes on in an empty block. */
    void begin(Block empty, long token) {
        block = empty;
        out = block.out();
        if (!isWithin) {
            firstExpirySeconds = Long.MAX_VALUE;
        }
        deletionAt = 0;
        if (heldStatic.length > 0) {
            isBegun = true;
            block.beginPartition(token);
            staticAt = out.lengthBytes();
            out.writeBytes(heldStatic);
            heldStatic = NOTHING;
        }
    }

    /** Adds what a cursor stands at; may move it on to the partition's end. */
    void add(FragmentCursor shown, FragmentKind kind) throws IOException {
        switch (kind) {
            case CLUSTERING_ROW -> addRow(shown);
            case PARTITION_START -> partitionStart(shown);
            case STATIC_ROW -> staticRow(shown);
            case RANGE_TOMBSTONE_CHANGE -> change(shown.rangeTombstoneChange());
            case PARTITION_END -> partitionEnd();
        }
    }

    private void partitionStart(FragmentCursor shown) throws IOException {
        isWithin = true;
        isBegun = false;
        key = shown.key();
        if (wantsDeletions) {
            if (!DeletionTime.isLive(
                    shown.partitionDeletionTimestampMicros(), shown.partitionDeletionLocalTimeSeconds())) {
                tombstoneCount++;
                beginPartition();
                encoder.partitionDeletion(shown, out);
            }
        } else if (matcher != null && !matcher.matchesKey(key)) {
            skip(shown);
        }
    }

    private void skip(FragmentCursor shown) throws IOException {
        block.passRow();
        shown.nextPartition();
        dropStatic();
        leavePartition();
    }

    private void beginPartition() {
        if (!isBegun) {
            isBegun = true;
            block.beginPartition(key.token());
        }
    }

    private void staticRow(FragmentCursor shown) throws IOException {
        Row row = shown.row();
        isStaticChecked = true;
        if (matcher != null && !matcher.matchesStatic(row)) {
            skip(shown);
            return;
        }
        beginPartition();
        if (!wantsDeletions) {
            staticAt = out.lengthBytes();
            noteExpiry(row);
        }
        encoder.row(key, row, out);
    }

    /** The same, where it is at a row. */
    void addRow(FragmentCursor shown) throws IOException {
        Row row = shown.row();
        if (matcher != null && !isWanted(shown, row)) {
            return;
        }
        hasRow = true;
        beginPartition();
        staticAt = NONE;
        if (wantsDeletions) {
            tombstoneCount += row.hasDeletion() ? 1 : 0;
        } else if (!row.isPlain() || row.livenessTtlSeconds() != Row.NO_TTL) {
            noteExpiry(row);
        }
        encoder.row(key, row, out);
        block.addRow();
    }

    private boolean isWanted(FragmentCursor shown, Row row) throws IOException {
        if (!isStaticChecked) {
            isStaticChecked = true;
            if (!matcher.matchesStatic(null)) {
                skip(shown);
                return false;
            }
        }
        if (matcher.matchesRow(row)) {
            return true;
        }
        hasRow = true;
        block.passRow();
        return false;
    }

    private void noteExpiry(Row row) {
        if (row.livenessTtlSeconds() != Row.NO_TTL) {
            firstExpirySeconds = Math.min(firstExpirySeconds, row.livenessExpirySeconds());
        }
        for (int i = 0; i < row.entryCount(); i++) {
            if (row.isExpiring(i)) {
                firstExpirySeconds = Math.min(firstExpirySeconds, row.localDeletionTimeSeconds(i));
            }
        }
    }

    private void partitionEnd() {
        if (staticAt != NONE && wantsStaticOnly && !hasRow) {
            staticAt = NONE;
            block.addRow();
        }
        dropStatic();
        leavePartition();
    }

    private void dropStatic() {
        if (staticAt != NONE) {
            staticAt = NONE;
            block.forgetPartition();
        }
    }

    /**
     * What comes next is of a partition that is not read from its begin.
     *
     * @param shown whether it has a row before
     */
    void resumePartition(boolean shown) {
        hasRow = shown;
    }

    /** What comes next is of another partition. */
    void leavePartition() {
        assert !isDeletionOpen;
        isWithin = false;
        isBegun = false;
        hasRow = false;
        isStaticChecked = false;
        heldStatic = NOTHING;
    }

    private void change(RangeTombstoneChange change) {
        if (isDeletionOpen) {
            closeDeletion(change.prefix(), change.weight());
        }
        isDeletionOpen = !change.isLive();
        if (isDeletionOpen) {
            tombstoneCount++;
            deletionStart = change.prefix().copy();
            deletionStartWeight = change.weight();
            deletionAt = out.lengthBytes();
            deletion.deletion(change.timestampMicros(), change.localDeletionTimeSeconds());
        }
    }

    /** Puts the deletion before the rows that were written since it was opened. */
    private void closeDeletion(Clustering place, int weight) {
        if (comparator.compare(deletionStart, deletionStartWeight, place, weight) == 0) {
            return;
        }
        beginPartition();
        deletion.start().wrap(reversed ? place : deletionStart);
        deletion.end().wrap(reversed ? deletionStart : place);
        deletion.weights(reversed ? weight : deletionStartWeight, reversed ? deletionStartWeight : weight);
        int rowsEnd = out.lengthBytes();
        int length = encoder.rangeDeletion(key, deletion, out);
        if (rowsEnd > deletionAt) {
            byte[] item = Arrays.copyOfRange(out.array(), rowsEnd, rowsEnd + length);
            System.arraycopy(out.array(), deletionAt, out.array(), deletionAt + length, rowsEnd - deletionAt);
            System.arraycopy(item, 0, out.array(), deletionAt, length);
        }
    }

    /**
     * The block ends here: what is not complete is completed, and goes on in the next one.
     *
     * @param shown stands at what was added last, in the middle of its partition
     */
    void end(FragmentCursor shown) {
        if (staticAt != NONE) {
            heldStatic = Arrays.copyOfRange(out.array(), staticAt, out.lengthBytes());
            dropStatic();
            isBegun = false;
        }
        if (isDeletionOpen && shown.kind() == FragmentKind.CLUSTERING_ROW) {
            Clustering last = shown.row().clustering();
            int weight = reversed ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER;
            closeDeletion(last, weight);
            deletionStart = last.copy();
            deletionStartWeight = weight;
        }
    }
}
