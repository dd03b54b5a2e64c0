package io.anneal.compaction;

import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.Purged;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries out a {@link CompactionTask}: inputs, merge, purge, outputs.
 *
 * <pre>
 *   input ─┐
 *   input ─┼─ merge ─ pace ─ purge ─┬─ output, output ...      ends at the size limit, at parts of the ring,
 *   input ─┘                        └─ of shared inputs one row of them for each shard
 * </pre>
 *
 * Outputs appear whole or not at all, and nothing remains of them unless {@link #run()} returns: then they are complete, and
 * the inputs still there. Runs once, on one thread, and holds no lock; others may cancel it or ask how far it is.
 */
public final class Compaction {
    private static final int FRAGMENTS_PER_STEP = 64;

    private final CompactionTask task;
    private final CompactionContext context;
    private final List<SSTableCursor> cursors = new ArrayList<>();
    private final long totalBytes;
    private final double onDiskShare;

    private volatile boolean cancelled;
    /** The thread that runs it, while the rate holds it. Guarded by this. */
    private Thread held;

    // Written by the thread that runs, read by any.
    private volatile long readBytes;
    private volatile long writtenBytes;
    private volatile long partitionCount;
    private volatile long rowCount;

    private boolean started;
    private CompactionOutputs outputs;
    private long partitions;
    private long rows;

    public Compaction(CompactionTask task, CompactionContext context) {
        this.task = task;
        this.context = context;
        totalBytes = task.inputs().stream()
                .mapToLong(input -> input.reader().dataLengthBytes())
                .sum();
        onDiskShare = totalBytes == 0 ? 1 : task.onDiskBytes() / (double) totalBytes;
    }

    public CompactionTask task() {
        return task;
    }

    /** Makes {@link #run()} end soon with a {@link CompactionCancelledException}, unless it is about to return. */
    public void cancel() {
        synchronized (this) {
            cancelled = true;
            // Nowhere else: an interrupt in the middle of a read would close the input's file.
            if (held != null) {
                held.interrupt();
            }
        }
    }

    public CompactionProgress progress() {
        return new CompactionProgress(readBytes, totalBytes, writtenBytes, partitionCount, rowCount);
    }

    /**
     * @throws CompactionCancelledException when it was cancelled
     * @throws InterruptedIOException when the thread was interrupted while the rate held it
     * @throws io.anneal.sstable.CorruptSSTableException when an input is damaged
     * @throws io.anneal.io.StorageException when an output cannot be written
     */
    public CompactionResult run() throws IOException {
        if (started) {
            throw new IllegalStateException("compaction runs once only, reason=" + task.reason());
        }
        started = true;
        if (task.reason() == CompactionTask.Reason.DROP_EXPIRED) {
            return result(List.of(), Purged.NOTHING);
        }
        try (CompactionOutputs opened = new CompactionOutputs(task, context, config(), onDiskShare)) {
            outputs = opened;
            PurgeCursor purge = new PurgeCursor(new Pace(merge()), context.purge());
            try (FragmentCursor source = checked(purge)) {
                copy(source);
            }
            step();
            return result(outputs.finish(), purge.purged());
        }
    }

    private CompactionResult result(List<CompactionResult.Output> written, Purged purged) {
        return new CompactionResult(task, written, readBytes, writtenBytes, partitions, rows, purged);
    }

    /** The template for what the inputs hold. */
    private SSTableWriterConfig config() {
        List<SSTableReader> readers =
                task.inputs().stream().map(CompactionCandidate::reader).toList();
        long repairedAtMillis = readers.stream()
                .mapToLong(reader -> reader.statistics().repairedAtMillis())
                .min()
                .orElse(0);
        return context.config()
                .withPartitioner(readers.get(0).partitioner())
                .withBase(EncodingBase.of(
                        readers.stream().map(SSTableReader::statistics).toList()))
                .withLevel(task.level())
                .withRepairedAtMillis(repairedAtMillis);
    }

    private FragmentCursor merge() throws IOException {
        boolean opened = false;
        try {
            for (CompactionCandidate input : task.inputs()) {
                cursors.add(input.reader().scan(context.schema(), TokenRange.Linear.ALL));
            }
            FragmentCursor merged = MergeCursor.of(context.schema(), cursors);
            opened = true;
            return merged;
        } finally {
            if (!opened) {
                for (Closeable cursor : cursors) {
                    cursor.close();
                }
            }
        }
    }

    private static FragmentCursor checked(FragmentCursor cursor) {
        return Compaction.class.desiredAssertionStatus() ? FragmentStreamValidator.of(cursor) : cursor;
    }

    private void copy(FragmentCursor source) throws IOException {
        FragmentKind kind;
        while ((kind = source.advance()) != null) {
            if (kind == FragmentKind.PARTITION_START) {
                outputs.startPartition(source.key().token());
                partitions++;
            } else if (kind == FragmentKind.CLUSTERING_ROW) {
                rows++;
            }
            outputs.append(source);
        }
    }

    /** Tells others how far it is, waits as the rate demands, and sees whether to go on. */
    private void step() throws IOException {
        long position = 0;
        for (int i = 0; i < cursors.size(); i++) {
            SSTableCursor cursor = cursors.get(i);
            position += cursor.kind() == null ? task.inputs().get(i).reader().dataLengthBytes() : cursor.dataPosition();
        }
        long onDiskBytes = (long) ((position - readBytes) * onDiskShare);
        readBytes = position;
        writtenBytes = outputs.dataLengthBytes();
        partitionCount = partitions;
        rowCount = rows;
        pay(onDiskBytes);
    }

    private void pay(long bytes) throws IOException {
        synchronized (this) {
            requireWanted();
            held = Thread.currentThread();
        }
        try {
            context.limiter().acquire(bytes);
        } catch (InterruptedException e) {
            if (!cancelled) {
                Thread.currentThread().interrupt();
                InterruptedIOException interrupted = new InterruptedIOException(
                        "compaction was interrupted, reason=" + task.reason() + ", readBytes=" + readBytes);
                interrupted.initCause(e);
                throw interrupted;
            }
        } finally {
            synchronized (this) {
                held = null;
                if (cancelled) {
                    // It was meant for the compaction, not for what the thread does next.
                    Thread.interrupted();
                }
            }
        }
        requireWanted();
    }

    private void requireWanted() throws CompactionCancelledException {
        if (cancelled) {
            throw new CompactionCancelledException(task);
        }
    }

    /** Takes a step every few fragments, also while all of them are purged. */
    private final class Pace extends ForwardingCursor {
        private int fragments;

        Pace(FragmentCursor merged) {
            super(merged);
        }

        @Override
        public FragmentKind advance() throws IOException {
            if (++fragments == FRAGMENTS_PER_STEP) {
                fragments = 0;
                step();
            }
            return inner.advance();
        }
    }
}
