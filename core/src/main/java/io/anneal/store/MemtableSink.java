package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.key.TokenRange;
import io.anneal.memtable.Memtable;
import io.anneal.memtable.MemtablePool;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.StagedWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Sorts writes in memory, in a memtable, and writes an SSTable whenever the memory is full. SSTables may overlap one another;
 * reading merges them. One thread.
 */
final class MemtableSink implements WriteSink {
    /** Starts the writer of one SSTable; it is told how many partitions there will be, and the smallest times. */
    interface WriterStart {
        StagedWriter start(long partitionCount, EncodingBase smallest);
    }

    private final TableSchema schema;
    private final WriterStart writers;
    private final MemtablePool pool;
    private final List<Descriptor> completed = new ArrayList<>();

    private Memtable memtable;
    private boolean finished;

    MemtableSink(TableSchema schema, WriterStart writers, long memoryBytes) {
        this.schema = schema;
        this.writers = writers;
        pool = new MemtablePool(memoryBytes);
        memtable = new Memtable(schema, pool);
    }

    @Override
    public void add(Write write) throws IOException {
        Mutation mutation = mutation(write);
        // A write may want a slab for nodes and one for bytes, and a large one brings its own.
        long growthBytes = 2L * pool.slabBytes() + mutation.lengthBytes();
        if (!memtable.isEmpty() && pool.usedBytes() + growthBytes > pool.budgetBytes()) {
            flush();
        }
        memtable.apply(mutation);
    }

    private Mutation mutation(Write write) {
        Mutation.Builder builder = Mutation.builder(schema, write.key());
        switch (write.kind()) {
            case PARTITION_DELETION -> builder.partitionDeletion(write.deletion());
            case STATIC_ROW, CLUSTERING_ROW -> builder.row(write.row());
            case RANGE_DELETION -> builder.rangeDeletion(write.range());
        }
        return builder.build();
    }

    /** Writes what is held as one SSTable. */
    private void flush() throws IOException {
        EncodingBase smallest = EncodingBase.of(
                memtable.minTimestampMicros(),
                memtable.minLocalDeletionTimeSeconds(),
                memtable.maxLocalDeletionTimeSeconds(),
                memtable.minTtlSeconds());
        try (StagedWriter writer = writers.start(memtable.partitionCount(), smallest);
                FragmentCursor cursor = MergeCursor.of(schema, List.of(memtable.scan(TokenRange.Linear.ALL)))) {
            writer.append(cursor);
            completed.addAll(writer.finish());
        }
        memtable.release();
        memtable = new Memtable(schema, pool);
    }

    @Override
    public List<Descriptor> finish() throws IOException {
        if (!memtable.isEmpty()) {
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
