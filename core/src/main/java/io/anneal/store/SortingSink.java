package io.anneal.store;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.ItemKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.StagedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Sorts writes in memory and writes an SSTable whenever the memory is full. A write is held as one item of the canonical
 * encoding, which is all that it takes: the bytes lie one behind the other in slabs, and a slot says where. SSTables may
 * overlap one another; reading merges them. One thread.
 */
final class SortingSink implements WriteSink {
    /** Starts the writer of one SSTable; it is told how many partitions there will be, and the smallest times. */
    interface WriterStart {
        StagedWriter start(long partitionCount, EncodingBase smallest);
    }

    /** A slot with its place in the list, and what sorting needs beside it. */
    private static final int SLOT_BYTES = 40;

    private static final int SLAB_MAX_BYTES = 1 << 20;
    private static final int SLAB_MIN_BYTES = 1 << 12;
    private static final int SLABS_MIN = 8;

    private record Slot(long token, byte[] slab, int offset) {}

    private final TableSchema schema;
    private final WriterStart writers;
    private final long memoryBytes;
    private final int slabBytes;
    private final CanonicalEncoder encoder;
    private final ClusteringComparator comparator;
    private final EncodedItem left;
    private final EncodedItem right;
    private final Clustering leftPlace = new Clustering();
    private final Clustering rightPlace = new Clustering();
    private final KeyView key = new KeyView();
    private final ByteWriter encoded = new ByteWriter(4096);
    private final List<Descriptor> completed = new ArrayList<>();

    private final List<Slot> slots = new ArrayList<>();

    private SmallestTimes smallest = new SmallestTimes();
    private byte[] slab = new byte[0];
    private int slabUsedBytes;
    private long slabsBytes;
    private boolean finished;

    SortingSink(TableSchema schema, WriterStart writers, long memoryBytes) {
        this.schema = schema;
        this.writers = writers;
        this.memoryBytes = memoryBytes;
        slabBytes = (int) Math.max(SLAB_MIN_BYTES, Math.min(SLAB_MAX_BYTES, memoryBytes / SLABS_MIN));
        encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
        comparator = ClusteringComparator.of(schema);
        left = new EncodedItem(schema);
        right = new EncodedItem(schema);
    }

    @Override
    public void add(Write write) throws IOException {
        encode(write);
        int lengthBytes = encoded.lengthBytes();
        if (!slots.isEmpty() && heldBytes() + SLOT_BYTES + growthBytes(lengthBytes) > memoryBytes) {
            flush();
        }
        if (slab.length - slabUsedBytes < lengthBytes) {
            slab = new byte[Math.max(slabBytes, lengthBytes)];
            slabUsedBytes = 0;
            slabsBytes += slab.length;
        }
        System.arraycopy(encoded.array(), 0, slab, slabUsedBytes, lengthBytes);
        smallest.add(write);
        slots.add(new Slot(write.key().token(), slab, slabUsedBytes));
        slabUsedBytes += lengthBytes;
    }

    private void encode(Write write) {
        encoded.clear();
        key.wrap(write.key());
        switch (write.kind()) {
            case PARTITION_DELETION ->
                encoder.partitionDeletion(
                        key,
                        write.deletion().timestampMicros(),
                        write.deletion().localDeletionTimeSeconds(),
                        encoded);
            case STATIC_ROW, CLUSTERING_ROW -> encoder.row(key, write.row(), encoded);
            case RANGE_DELETION -> encoder.rangeDeletion(key, write.range(), encoded);
        }
    }

    private long heldBytes() {
        return slabsBytes + (long) slots.size() * SLOT_BYTES;
    }

    private int growthBytes(int lengthBytes) {
        return slab.length - slabUsedBytes < lengthBytes ? Math.max(slabBytes, lengthBytes) : 0;
    }

    /** Writes what is held as one SSTable. */
    private void flush() throws IOException {
        try {
            slots.sort(this::compare);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        try (StagedWriter writer = writers.start(partitionCount(), smallest.base())) {
            FragmentAssembler assembler = new FragmentAssembler(schema, writer::appendCurrent);
            for (Slot slot : slots) {
                assembler.add(decode(slot));
            }
            assembler.finish();
            completed.addAll(writer.finish());
        }
        slots.clear();
        smallest = new SmallestTimes();
        slab = new byte[0];
        slabUsedBytes = 0;
        slabsBytes = 0;
    }

    private long partitionCount() {
        long count = 0;
        for (int i = 0; i < slots.size(); i++) {
            if (i == 0 || slots.get(i).token() != slots.get(i - 1).token()) {
                count++;
            }
        }
        return count;
    }

    private int compare(Slot leftSlot, Slot rightSlot) {
        if (leftSlot.token() != rightSlot.token()) {
            return leftSlot.token() < rightSlot.token() ? -1 : 1;
        }
        try {
            left.wrap(leftSlot.slab(), leftSlot.offset(), leftSlot.slab().length);
            right.wrap(rightSlot.slab(), rightSlot.offset(), rightSlot.slab().length);
            int order = left.key().compareTo(right.key());
            if (order == 0) {
                order = Integer.compare(region(left.kind()), region(right.kind()));
            }
            if (order == 0 && region(left.kind()) > 0) {
                int leftWeight = left.readPosition(leftPlace);
                int rightWeight = right.readPosition(rightPlace);
                order = comparator.compare(leftPlace, leftWeight, rightPlace, rightWeight);
            }
            return order;
        } catch (CorruptItemException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Partition deletion and static row come before all that has a place. */
    private static int region(ItemKind kind) {
        return switch (kind) {
            case PARTITION_DELETION -> -1;
            case STATIC_ROW -> 0;
            case CLUSTERING_ROW, RANGE_DELETION -> 1;
        };
    }

    private Write decode(Slot slot) throws CorruptItemException {
        left.wrap(slot.slab(), slot.offset(), slot.slab().length);
        DecoratedKey partition = left.key().toDecoratedKey();
        switch (left.kind()) {
            case STATIC_ROW, CLUSTERING_ROW -> {
                Row row = new Row();
                left.readRow(row);
                return Write.row(partition, row);
            }
            case RANGE_DELETION -> {
                RangeDeletion range = new RangeDeletion();
                left.readRangeDeletion(range);
                return Write.range(partition, range);
            }
            case PARTITION_DELETION -> {
                RangeDeletion deletion = new RangeDeletion();
                left.readPartitionDeletion(deletion);
                return Write.partitionDeletion(
                        partition, new DeletionTime(deletion.timestampMicros(), deletion.localDeletionTimeSeconds()));
            }
        }
        throw new AssertionError(left.kind());
    }

    @Override
    public List<Descriptor> finish() throws IOException {
        if (!slots.isEmpty()) {
            flush();
        }
        finished = true;
        return List.copyOf(completed);
    }

    @Override
    public void close() throws IOException {
        if (!finished) {
            for (Descriptor descriptor : completed) {
                descriptor.delete();
            }
            completed.clear();
        }
    }
}
