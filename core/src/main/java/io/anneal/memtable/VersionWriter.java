package io.anneal.memtable;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.key.Slice;
import io.anneal.schema.TableSchema;

/**
 * Adds versions to places. What is written is merged with the newest versions there as long as these are not more than
 * twice as long as what it comes to, so the versions that a reader has to merge grow from the newest to the oldest: small
 * rows have one, a collection that is appended to has a few, and every byte is copied a logarithmic number of times
 * (O'Neil and others, The log-structured merge-tree, 1996, on one row). One thread.
 */
final class VersionWriter {
    /** Versions up to this length are merged whatever comes. */
    private static final int SHORT_BYTES = 256;
    /**
     * Longer ones are merged where cells are many alone: readers would hold an entry for each cell of each version, but values
     * only where they lie, and copying them would take their memory twice when the log has them already.
     */
    private static final int MERGED_MAX_BYTES = 4 << 20;

    private static final int SMALL_CELL_BYTES = 256;

    private final Slabs slabs;
    private final EncodedItem passed;
    private final RowVersions versions;
    private final RangeSteps steps;
    private final CanonicalEncoder encoder;
    private final ByteWriter encoded = new ByteWriter(1024);
    private final RangeBlockWriter blocks = new RangeBlockWriter();
    private final RangeBlock older;
    private final RangeDeletion deletion = new RangeDeletion();
    private final RangeDeletion olderDeletion = new RangeDeletion();
    private final RangeTombstoneChange change = new RangeTombstoneChange();

    private int sequence;
    private long dataBytes;

    VersionWriter(TableSchema schema, ClusteringComparator comparator, Slabs slabs, EncodedItem template) {
        this.slabs = slabs;
        passed = template.trusting();
        older = new RangeBlock(comparator, template.trusting());
        versions = new RowVersions(schema, slabs, template.trusting());
        steps = new RangeSteps(comparator, template);
        encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
    }

    /** What follows belongs to the mutation with this sequence. */
    void sequence(int of) {
        sequence = of;
    }

    /** What the newest versions of all places come to. */
    long dataBytes() {
        return dataBytes;
    }

    /** A version of a row, on top of {@code newest} or of nothing if that is 0. */
    int row(int newest, KeyView key, EncodedItem item) throws CorruptItemException {
        if (newest == 0) {
            return copy(0, 0, item);
        }
        versions.clear();
        int base = newest;
        long length = item.lengthBytes();
        while (base != 0 && lengthBytes(base) <= Math.max(2 * length, SHORT_BYTES)) {
            if (versions.count() == 0) {
                versions.add(item);
            }
            if (length + lengthBytes(base) > MERGED_MAX_BYTES
                    && item.lengthBytes() > (long) SMALL_CELL_BYTES * versions.newestCellCount()) {
                break;
            }
            versions.add(base);
            length += lengthBytes(base);
            base = slabs.get(base + Nodes.BASE);
        }
        Row merged = base == newest ? null : versions.merge();
        if (merged == null) {
            // Nothing is short enough, or all is of dropped columns: readers see to it.
            return copy(newest, newest, item);
        }
        encoded.clear();
        encoder.row(key, merged, encoded);
        dataBytes -= length - item.lengthBytes();
        int mergedBytes = encoded.lengthBytes();
        slabs.adopt(encoded.array(), 0, mergedBytes);
        if (slabs.slab(slabs.writtenSlab()) == encoded.array()) {
            encoded.shrink();
        }
        return version(newest, base, mergedBytes);
    }

    private int lengthBytes(int version) throws CorruptItemException {
        byte[] slab = slabs.slab(slabs.get(version + Nodes.VERSION_SLAB));
        return passed.wrap(slab, slabs.get(version + Nodes.VERSION_OFFSET), slab.length)
                .lengthBytes();
    }

    /** A version of the partition deletion; {@code newest} itself when the item does not supersede it. */
    int partitionDeletion(int newest, EncodedItem item) throws CorruptItemException {
        if (newest == 0) {
            return copy(0, 0, item);
        }
        item.readPartitionDeletion(deletion);
        byte[] slab = slabs.slab(slabs.get(newest + Nodes.VERSION_SLAB));
        passed.wrap(slab, slabs.get(newest + Nodes.VERSION_OFFSET), slab.length).readPartitionDeletion(olderDeletion);
        if (!DeletionTime.supersedes(
                deletion.timestampMicros(),
                deletion.localDeletionTimeSeconds(),
                olderDeletion.timestampMicros(),
                olderDeletion.localDeletionTimeSeconds())) {
            return newest;
        }
        dataBytes -= passed.lengthBytes();
        return copy(newest, 0, item);
    }

    /** A version of the range deletions, which is a block of intervals; overlaps are cut. */
    int rangeDeletion(int newest, KeyView key, EncodedItem item) throws CorruptItemException {
        blocks.clear();
        blocks.add(item.buffer(), item.offset(), item.lengthBytes());
        int base = newest;
        if (isMerged(base, 1)) {
            steps.clear();
            steps.add(blocks.finish().toByteArray(), 0);
            int count = 1;
            while (isMerged(base, count)) {
                steps.add(slabs.slab(slabs.get(base + Nodes.VERSION_SLAB)), slabs.get(base + Nodes.VERSION_OFFSET));
                count += older.count();
                dataBytes -= older.lengthBytes();
                base = slabs.get(base + Nodes.BASE);
            }
            mergeBlocks(key);
        }
        ByteWriter block = blocks.finish();
        return version(newest, base, block.array(), 0, block.lengthBytes());
    }

    private boolean isMerged(int version, int count) {
        if (version == 0) {
            return false;
        }
        older.wrap(slabs.slab(slabs.get(version + Nodes.VERSION_SLAB)), slabs.get(version + Nodes.VERSION_OFFSET));
        return older.count() <= 2 * count;
    }

    /** Steps to intervals. */
    private void mergeBlocks(KeyView key) throws CorruptItemException {
        blocks.clear();
        steps.seek(Slice.ALL, false);
        boolean open = false;
        while (steps.next(change)) {
            if (open) {
                deletion.end().wrap(change.prefix());
                deletion.weights(deletion.startWeight(), change.weight());
                encoded.clear();
                encoder.rangeDeletion(key, deletion, encoded);
                blocks.add(encoded.array(), 0, encoded.lengthBytes());
            }
            open = !change.isLive();
            if (open) {
                deletion.start().wrap(change.prefix());
                deletion.weights(change.weight(), ClusteringComparator.AFTER);
                deletion.deletion(change.timestampMicros(), change.localDeletionTimeSeconds());
            }
        }
    }

    private int copy(int older, int base, EncodedItem item) {
        slabs.adopt(item.buffer(), item.offset(), item.lengthBytes());
        return version(older, base, item.lengthBytes());
    }

    private int version(int older, int base, byte[] bytes, int offset, int length) {
        slabs.write(bytes, offset, length);
        return version(older, base, length);
    }

    /** Of what was written last. */
    private int version(int older, int base, int length) {
        int version = slabs.allocate(Nodes.VERSION_INTS);
        slabs.set(version + Nodes.SEQUENCE, sequence);
        slabs.set(version + Nodes.OLDER, older);
        slabs.set(version + Nodes.BASE, base);
        slabs.set(version + Nodes.VERSION_SLAB, slabs.writtenSlab());
        slabs.set(version + Nodes.VERSION_OFFSET, slabs.writtenOffset());
        dataBytes += length;
        return version;
    }
}
