package io.anneal.compaction;

import io.anneal.fragment.FragmentCursor;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The SSTables that a compaction writes: of shared inputs for each shard its own, all at once, since the shards' tokens lie in
 * turn. Removes everything unless it is finished. One thread.
 */
final class CompactionOutputs implements Closeable {
    private final CompactionTask task;
    private final CompactionContext context;
    private final SSTableWriterConfig config;
    private final long sizeLimitBytes;
    /** One for each shard of shared inputs, else one. Null before its first partition. */
    private final StagedWriter[] writers;

    private final long[] parts;
    private final List<CompactionResult.Output> completed = new ArrayList<>();

    private StagedWriter current;
    private boolean finished;

    /** @param onDiskShare of the inputs: bytes on the disk by bytes of data */
    CompactionOutputs(CompactionTask task, CompactionContext context, SSTableWriterConfig config, double onDiskShare) {
        this.task = task;
        this.context = context;
        sizeLimitBytes = task.outputSizeLimitBytes() == CompactionTask.UNLIMITED
                ? Long.MAX_VALUE
                : Math.max(1, (long) (task.outputSizeLimitBytes() / onDiskShare));
        writers = new StagedWriter[isSharedOut() ? context.shards().shardCount() : 1];
        parts = new long[writers.length];
        this.config = config.withExpectedPartitions(partitionsOfOne());
    }

    private boolean isSharedOut() {
        return task.inputs().get(0).isShared();
    }

    /** As many as the largest output may have, if partitions are alike. */
    private long partitionsOfOne() {
        long partitions = 0;
        long dataBytes = 0;
        for (CompactionCandidate input : task.inputs()) {
            partitions += input.statistics().estimatedPartitionCount();
            dataBytes += input.reader().dataLengthBytes();
        }
        double share = Math.min(1, sizeLimitBytes / (double) Math.max(1, dataBytes));
        return Math.max(1, (long) Math.ceil(partitions * share / writers.length));
    }

    void startPartition(long token) throws IOException {
        int index = isSharedOut() ? context.shards().shardOf(token) : 0;
        long part = partOf(token);
        if (writers[index] == null) {
            writers[index] = new StagedWriter(context.target(), config, sizeLimitBytes);
        } else if (part != parts[index]) {
            writers[index].split();
        }
        parts[index] = part;
        current = writers[index];
    }

    private long partOf(long token) {
        // Tokens are signed, places on the ring are not.
        return Math.multiplyHigh((token ^ Long.MIN_VALUE) >>> 1, (long) task.tokenParts() << 1);
    }

    void append(FragmentCursor cursor) throws IOException {
        current.appendCurrent(cursor);
    }

    long dataLengthBytes() {
        long lengthBytes = 0;
        for (StagedWriter writer : writers) {
            lengthBytes += writer == null ? 0 : writer.dataLengthBytes();
        }
        return lengthBytes;
    }

    List<CompactionResult.Output> finish() throws IOException {
        int ownShard = task.inputs().get(0).shard();
        for (int i = 0; i < writers.length; i++) {
            if (writers[i] != null) {
                for (Descriptor descriptor : writers[i].finish()) {
                    completed.add(new CompactionResult.Output(descriptor, isSharedOut() ? i : ownShard));
                }
            }
        }
        finished = true;
        return List.copyOf(completed);
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (StagedWriter writer : writers) {
            try {
                if (writer != null) {
                    writer.close();
                }
            } catch (IOException e) {
                failure = suppress(failure, e);
            }
        }
        for (int i = 0; !finished && i < completed.size(); i++) {
            try {
                completed.get(i).descriptor().delete();
            } catch (IOException e) {
                failure = suppress(failure, e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static IOException suppress(IOException first, IOException next) {
        if (first == null) {
            return next;
        }
        first.addSuppressed(next);
        return first;
    }
}
