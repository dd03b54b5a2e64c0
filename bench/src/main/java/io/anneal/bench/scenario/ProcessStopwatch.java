package io.anneal.bench.scenario;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** What passed since it was made: time, and processor time of all threads of this process. */
final class ProcessStopwatch {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final LongSupplier nanoTime;
    private final long startNanos;
    private final long startCpuNanos;

    ProcessStopwatch(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        startCpuNanos = SYSTEM.getProcessCpuTime();
        startNanos = nanoTime.getAsLong();
    }

    long wallNanos() {
        return nanoTime.getAsLong() - startNanos;
    }

    long cpuNanos() {
        return SYSTEM.getProcessCpuTime() - startCpuNanos;
    }

    /** Everything until now, as a run. */
    Run run(long rows, long dataBytes) {
        return new Run(rows, dataBytes, wallNanos(), cpuNanos(), 0);
    }
}
