package io.anneal.table;

import io.anneal.compaction.CompactionTask;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the disk has room for what a compaction may write, beside what others are writing and what memory holds: one that does
 * not fit would fail late, and take the last bytes from the commit log and the flushes meanwhile. Any thread.
 */
final class CompactionRoom {
    private static final Logger LOG = LoggerFactory.getLogger(CompactionRoom.class);

    private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(15);

    private final LongSupplier keptFreeBytes;
    private final LongSupplier nanoTime;
    /** When the lack of room was told of last, by table. */
    private final Map<LiveTable, Long> warnedNanos = new HashMap<>();

    /** @param keptFreeBytes how much of the disk is left to others */
    CompactionRoom(LongSupplier keptFreeBytes, LongSupplier nanoTime) {
        this.keptFreeBytes = keptFreeBytes;
        this.nanoTime = nanoTime;
    }

    /**
     * Whether a task fits; when it does not it is counted, and told of now and then.
     *
     * @param reservedBytes what compactions under way have still to write
     */
    boolean fits(LiveTable table, CompactionTask task, long reservedBytes) {
        long neededBytes = task.outputBytesMax();
        long freeBytes = freeBytes(table, reservedBytes);
        if (neededBytes <= freeBytes) {
            return true;
        }
        table.metrics().compactionRefused();
        if (isToWarn(table)) {
            LOG.warn(
                    "compaction waits since it does not fit on the disk, table={}, neededBytes={}, freeBytes={}",
                    table.schema().qualifiedName(),
                    neededBytes,
                    freeBytes);
        }
        return false;
    }

    /** @throws StorageException when there is less room than needed */
    void require(LiveTable table, long neededBytes, long reservedBytes) throws StorageException {
        long freeBytes = freeBytes(table, reservedBytes);
        if (neededBytes > freeBytes) {
            table.metrics().compactionRefused();
            throw new StorageException(
                    "compact",
                    table.directory().directory(),
                    new IOException("compaction does not fit on the disk, table="
                            + table.schema().qualifiedName() + ", neededBytes=" + neededBytes + ", freeBytes="
                            + freeBytes));
        }
    }

    private long freeBytes(LiveTable table, long reservedBytes) {
        try {
            long usableBytes = Files.getFileStore(table.directory().directory()).getUsableSpace();
            return Math.max(0, usableBytes - reservedBytes - keptFreeBytes.getAsLong());
        } catch (IOException | UnsupportedOperationException e) {
            // Where nobody can say so, trying tells.
            LOG.debug("free space is not known, table={}", table.schema().qualifiedName(), e);
            return Long.MAX_VALUE;
        }
    }

    private synchronized boolean isToWarn(LiveTable table) {
        long now = nanoTime.getAsLong();
        Long warned = warnedNanos.get(table);
        boolean due = warned == null || now - warned >= WARNING_NANOS;
        if (due) {
            warnedNanos.put(table, now);
        }
        return due;
    }

    /** The table is gone. */
    synchronized void forget(LiveTable table) {
        warnedNanos.remove(table);
    }
}
