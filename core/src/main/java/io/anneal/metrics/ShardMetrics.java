package io.anneal.metrics;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What one shard of a table does. Each method is cheap, allocates nothing and may be called by any thread. */
public final class ShardMetrics {
    private final ValueRecorder readNanos;
    private final ValueRecorder writeNanos;
    private final ValueRecorder flushNanos;
    private final ValueRecorder readSSTables;
    private final ValueRecorder readTombstones;
    private final Runnable resized;
    private final LongAdder flushes = new LongAdder();
    private final LongAdder flushedBytes = new LongAdder();
    private final LongAdder failedFlushes = new LongAdder();

    private volatile LongSupplier memtableBytes = () -> 0;

    /** @param resized is told when what lies on the disk has changed */
    ShardMetrics(LongSupplier nanoClock, Runnable resized) {
        this.resized = resized;
        readNanos = new ValueRecorder(nanoClock);
        writeNanos = new ValueRecorder(nanoClock);
        flushNanos = new ValueRecorder(nanoClock);
        readSSTables = new ValueRecorder(nanoClock);
        readTombstones = new ValueRecorder(nanoClock);
    }

    /**
     * A read of one partition is over.
     *
     * @param nanos from the call until its cursor was closed or at its end
     * @param sstables that had the key, by their filters
     * @param tombstones that the merged stream held
     */
    public void readDone(long nanos, int sstables, long tombstones) {
        readNanos.record(nanos);
        readSSTables.record(sstables);
        readTombstones.record(tombstones);
    }

    /** @param nanos from the call until the mutation was acknowledged */
    public void writeDone(long nanos) {
        writeNanos.record(nanos);
    }

    /** @param bytes of the SSTables on the disk */
    public void flushed(long bytes, long nanos) {
        flushes.increment();
        flushedBytes.add(bytes);
        flushNanos.record(nanos);
        resized.run();
    }

    public void flushFailed() {
        failedFlushes.increment();
    }

    /** @param bytes that the shard's memtables occupy, those being flushed included; asked by any thread */
    public void memtableBytes(LongSupplier bytes) {
        memtableBytes = bytes;
    }

    ValueRecorder readNanos() {
        return readNanos;
    }

    ValueRecorder writeNanos() {
        return writeNanos;
    }

    ValueRecorder flushNanos() {
        return flushNanos;
    }

    ValueRecorder readSSTables() {
        return readSSTables;
    }

    ValueRecorder readTombstones() {
        return readTombstones;
    }

    long flushes() {
        return flushes.sum();
    }

    long flushedBytes() {
        return flushedBytes.sum();
    }

    long failedFlushes() {
        return failedFlushes.sum();
    }

    long memtableBytes() {
        return memtableBytes.getAsLong();
    }
}
