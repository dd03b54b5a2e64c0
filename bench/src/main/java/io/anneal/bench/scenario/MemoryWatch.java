package io.anneal.bench.scenario;

import java.io.Closeable;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The most memory that something takes while it runs: the heap that a collection leaves, and direct buffers, less what both
 * were before. It collects the whole heap again and again, which would disturb whoever measures time.
 */
final class MemoryWatch implements Closeable {
    private static final long MEMTABLE_PERIOD_MILLIS = 100;

    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2, work -> {
        Thread thread = new Thread(work, "bench-memory");
        thread.setDaemon(true);
        return thread;
    });
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final long beforeBytes;

    // Each is written by one thread of the executor at a time.
    private volatile long peakBytes;
    private volatile long memtablePeakBytes;

    private MemoryWatch() {
        memory.gc();
        beforeBytes = inUseBytes();
    }

    static MemoryWatch start() {
        return new MemoryWatch();
    }

    /** @param memtableBytes what memtables occupy now; any thread */
    void sampleMemtables(LongSupplier memtableBytes) {
        executor.scheduleAtFixedRate(
                () -> memtablePeakBytes = Math.max(memtablePeakBytes, memtableBytes.getAsLong()),
                0,
                MEMTABLE_PERIOD_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** @param pauseMillis between two collections */
    void sample(long pauseMillis) {
        executor.scheduleWithFixedDelay(this::collect, 0, pauseMillis, TimeUnit.MILLISECONDS);
    }

    private void collect() {
        memory.gc();
        peakBytes = Math.max(peakBytes, inUseBytes() - beforeBytes);
    }

    private long inUseBytes() {
        long directBytes = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return memory.getHeapMemoryUsage().getUsed() + directBytes;
    }

    /** What is in use now, after a collection. */
    long collectedBytes() {
        memory.gc();
        return inUseBytes() - beforeBytes;
    }

    long peakBytes() {
        return peakBytes;
    }

    long memtablePeakBytes() {
        return memtablePeakBytes;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
