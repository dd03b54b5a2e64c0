package io.anneal.bench.scenario;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** What work takes of the thread that does it. */
final class Stopwatch {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final LongSupplier nanoTime;

    /** Written and never read: the compiler cannot know that, and so leaves no step of the work out. */
    @SuppressWarnings("unused")
    private volatile long sink;

    Stopwatch(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Something to measure; the result is there so that no step can be left out. */
    @FunctionalInterface
    interface Work {
        long run() throws IOException;
    }

    Run measure(long rows, long dataBytes, Work work) throws IOException {
        long thread = Thread.currentThread().getId();
        long allocatedBefore = threads.getThreadAllocatedBytes(thread);
        long cpuBefore = threads.getCurrentThreadCpuTime();
        long before = nanoTime.getAsLong();
        long result = work.run();
        long wallNanos = nanoTime.getAsLong() - before;
        long cpuNanos = threads.getCurrentThreadCpuTime() - cpuBefore;
        long allocatedBytes = threads.getThreadAllocatedBytes(thread) - allocatedBefore;
        sink = result;
        return new Run(rows, dataBytes, wallNanos, cpuNanos, allocatedBytes);
    }
}
