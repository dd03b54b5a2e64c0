package io.anneal.peer.agent;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What stretches of the current thread's work took: time, processor time, allocated bytes. */
final class Meter {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long thread = Thread.currentThread().getId();

    private long wallNanos;
    private long cpuNanos;
    private long allocatedBytes;

    void start() {
        allocatedBytes -= threads.getThreadAllocatedBytes(thread);
        cpuNanos -= threads.getCurrentThreadCpuTime();
        wallNanos -= System.nanoTime();
    }

    void stop() {
        wallNanos += System.nanoTime();
        cpuNanos += threads.getCurrentThreadCpuTime();
        allocatedBytes += threads.getThreadAllocatedBytes(thread);
    }

    /** One row: how many rows that was for, nanoseconds of time and of the processor, bytes. */
    List<List<String>> answer(long rows) {
        return List.of(List.of(
                Long.toString(rows), Long.toString(wallNanos), Long.toString(cpuNanos), Long.toString(allocatedBytes)));
    }
}
