package io.anneal.memtable;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.ItemKind;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What was written to one table and shard since the last flush, in order. Two skip lists, partitions by token and key and in each
 * rows by clustering, over memory that is only appended to; each place has a chain of versions, each with the sequence
 * number of its mutation.
 *
 * <p>One thread applies mutations; any number of threads read meanwhile, without locks. A mutation becomes visible as a whole,
 * when its sequence number is published, and a cursor reads what was published when it was made, whatever comes later.
 *
 * <p>{@link #release()} gives the memory back. Whoever calls it sees to it that no cursor is read any more.
 */
public final class Memtable {
    private final TableSchema schema;
    private final Slabs slabs;
    private final PartitionList partitions;
    private final ClusteringComparator comparator;
    private final EncodedItem template;

    private final WriteTimes times = new WriteTimes();
    private final AtomicLong partitionCount = new AtomicLong();
    private final AtomicLong dataBytes = new AtomicLong();

    /** Stays when memory runs out: what was applied by then must never be seen. */
    private boolean applying;

    /** What the writer alone needs: made by the first mutation, since many a memtable stays empty. */
    private EncodedItem checked;

    private EncodedItem item;
    private RowList rows;
    private Levels levels;
    private VersionWriter versions;
    private KeyView key;
    private Row row;
    private RangeDeletion deletion;
    private Clustering place;

    /** Whether the mutation being applied has rows with nothing in them, which do not exist. */
    private boolean hasEmptyRows;

    /** Sequence of the last mutation that is visible. */
    private volatile int visible;

    /** Makes an empty memtable, which takes nothing of the pool. */
    public Memtable(TableSchema schema, MemtablePool pool) {
        this.schema = schema;
        slabs = new Slabs(pool);
        partitions = new PartitionList(slabs);
        comparator = ClusteringComparator.of(schema);
        template = new EncodedItem(schema).trusting();
    }

    public TableSchema schema() {
        return schema;
    }

    /**
     * Applies a mutation, which becomes visible as a whole; the bytes are copied, but for those of one large row, which are kept
     * as they are. The owner's thread alone.
     *
     * @throws CorruptItemException when an item cannot be decoded or is of another partition: then nothing was applied
     */
    public void apply(Mutation mutation) throws CorruptItemException {
        if (versions == null) {
            beginToWrite();
        }
        if (!check(mutation)) {
            return;
        }
        if (applying) {
            throw new IllegalStateException(
                    "memtable takes nothing any more: it failed in the midst of a mutation, table="
                            + schema.qualifiedName());
        }
        applying = true;
        int sequence = visible + 1;
        versions.sequence(sequence);
        key.wrap(mutation.key());
        int partition = partitions.findOrAdd(mutation.key(), sequence);
        if (slabs.get(partition + Nodes.CREATED) == sequence) {
            partitionCount.lazySet(partitionCount.get() + 1);
        }
        byte[] bytes = mutation.bytes();
        for (int offset = 0; offset < bytes.length; offset = item.endOffset()) {
            item.wrap(bytes, offset, bytes.length);
            if (!hasEmptyRows || !isEmptyRow(item)) {
                applyItem(partition, item);
            }
        }
        dataBytes.lazySet(versions.dataBytes());
        visible = sequence;
        applying = false;
    }

    private void beginToWrite() {
        checked = new EncodedItem(schema);
        item = checked.trusting();
        rows = RowList.writing(slabs, comparator, checked.trusting());
        levels = new Levels();
        key = new KeyView();
        row = new Row();
        deletion = new RangeDeletion();
        place = new Clustering();
        versions = new VersionWriter(schema, comparator, slabs, checked);
    }

    private boolean isEmptyRow(EncodedItem added) throws CorruptItemException {
        if (added.kind() != ItemKind.STATIC_ROW && added.kind() != ItemKind.CLUSTERING_ROW) {
            return false;
        }
        added.readRow(row);
        return row.isEmpty();
    }

    /** Decodes everything, since nothing can be taken back later; whether there is anything. */
    private boolean check(Mutation mutation) throws CorruptItemException {
        boolean exists = false;
        hasEmptyRows = false;
        byte[] bytes = mutation.bytes();
        for (int offset = 0; offset < bytes.length; offset = checked.endOffset()) {
            checked.wrap(bytes, offset, bytes.length);
            checked.requireKey(mutation.key());
            switch (checked.kind()) {
                case STATIC_ROW, CLUSTERING_ROW -> {
                    checked.readRow(row);
                    times.add(row);
                    exists |= !row.isEmpty();
                    hasEmptyRows |= row.isEmpty();
                }
                case PARTITION_DELETION -> {
                    checked.readPartitionDeletion(deletion);
                    times.add(deletion);
                    exists = true;
                }
                case RANGE_DELETION -> {
                    checked.readRangeDeletion(deletion);
                    times.add(deletion);
                    exists = true;
                }
            }
        }
        return exists;
    }

    private void applyItem(int partition, EncodedItem added) throws CorruptItemException {
        switch (added.kind()) {
            case PARTITION_DELETION -> {
                int head = partition + Nodes.DELETION;
                slabs.setRelease(head, versions.partitionDeletion(slabs.get(head), added));
            }
            case RANGE_DELETION -> {
                int head = partition + Nodes.RANGE_DELETIONS;
                slabs.setRelease(head, versions.rangeDeletion(slabs.get(head), key, added));
            }
            case STATIC_ROW -> {
                int head = partition + Nodes.STATIC_ROW;
                slabs.setRelease(head, versions.row(slabs.get(head), key, added));
            }
            case CLUSTERING_ROW -> applyRow(partition, added);
        }
    }

    private void applyRow(int partition, EncodedItem added) throws CorruptItemException {
        added.readPosition(place);
        int found = rows.find(partition, place);
        if (found == 0) {
            rows.add(partition, place, versions.row(0, key, added), levels);
        } else {
            int head = found + Nodes.ROW_VERSIONS;
            slabs.setRelease(head, versions.row(slabs.get(head), key, added));
        }
    }

    /** All partitions with a token in the range, as of now. Any thread. */
    public FragmentCursor scan(TokenRange.Linear range) {
        // The sequence first: what is published later must not decide where the scan begins.
        int snapshot = visible;
        return cursor(snapshot, partitions.ceiling(range.first()), range.last(), false, Slices.ALL, false);
    }

    /** The same, but only partitions behind a key, if there is one. */
    public FragmentCursor scan(TokenRange.Linear range, Optional<DecoratedKey> after) {
        if (after.isEmpty() || after.get().token() < range.first()) {
            return scan(range);
        }
        int snapshot = visible;
        byte[] key = after.get().bytes();
        int first = partitions.higher(after.get().token(), key, 0, key.length);
        return cursor(snapshot, first, range.last(), false, Slices.ALL, false);
    }

    /**
     * Slices of one partition, as of now. Any thread.
     *
     * @param slices which rows; a range deletion that begins before a slice or ends behind it is cut to the slice. Partition
     *     deletion and static row are there in any case
     * @param reversed whether rows come against clustering order, as {@link FragmentCursor} describes it
     * @return a cursor over that partition alone, or nothing when there is no such key
     */
    public Optional<FragmentCursor> read(DecoratedKey of, Slices slices, boolean reversed) {
        int snapshot = visible;
        int partition = partitions.find(of.token(), of.bytes(), 0, of.bytes().length);
        return partition == 0 || slabs.get(partition + Nodes.CREATED) > snapshot
                ? Optional.empty()
                : Optional.of(cursor(snapshot, partition, of.token(), true, slices, reversed));
    }

    private FragmentCursor cursor(
            int snapshot, int first, long lastToken, boolean single, Slices slices, boolean reversed) {
        EncodedItem decoder = template.trusting();
        PartitionRows cursorRows = new PartitionRows(
                slabs,
                RowList.reading(slabs, comparator, decoder),
                new RowVersions(schema, slabs, decoder),
                new RangeSteps(comparator, template),
                comparator,
                snapshot,
                slices,
                reversed);
        return new MemtableCursor(schema, slabs, partitions, cursorRows, decoder, snapshot, first, lastToken, single);
    }

    /** Whether something was written to the partition. Any thread. */
    public boolean contains(KeyView of) {
        int snapshot = visible;
        int partition = partitions.find(of.token(), of.buffer(), of.offset(), of.lengthBytes());
        return partition != 0 && slabs.get(partition + Nodes.CREATED) <= snapshot;
    }

    /** What is taken of the pool, in whole arrays. Any thread. */
    public long occupiedBytes() {
        return slabs.heldBytes();
    }

    /** What would be flushed now, encoded. Any thread. */
    public long dataBytes() {
        return dataBytes.get();
    }

    public long partitionCount() {
        return partitionCount.get();
    }

    /** Mutations applied, the empty ones left out. Any thread. */
    public long mutationCount() {
        return visible;
    }

    public boolean isEmpty() {
        return visible == 0;
    }

    /** The smallest timestamp written, or {@link Long#MAX_VALUE}. Any thread. */
    public long minTimestampMicros() {
        return times.minTimestampMicros();
    }

    /** The smallest time of a deletion or expiry, or {@link io.anneal.fragment.DeletionTime#NO_DELETION_TIME}. Any thread. */
    public long minLocalDeletionTimeSeconds() {
        return times.minLocalDeletionTimeSeconds();
    }

    /** The greatest time of a deletion or expiry, or {@link Long#MIN_VALUE}. Any thread. */
    public long maxLocalDeletionTimeSeconds() {
        return times.maxLocalDeletionTimeSeconds();
    }

    /** The smallest TTL written, or {@link Integer#MAX_VALUE}. Any thread. */
    public int minTtlSeconds() {
        return times.minTtlSeconds();
    }

    /** Gives all memory back to the pool. Nothing may be applied or read any more, nor a cursor used. */
    public void release() {
        release(true);
    }

    /** @param reused false where somebody may still look at the memory: then nobody gets it after this memtable */
    public void release(boolean reused) {
        slabs.release(reused);
    }
}
