package io.anneal.peer.agent;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What passed since it was made: time, and processor time of all threads of this process. */
final class ProcessMeter {
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final long startNanos = System.nanoTime();
    private final long startCpuNanos = system.getProcessCpuTime();

    String wallNanos() {
        return Long.toString(System.nanoTime() - startNanos);
    }

    String cpuNanos() {
        return Long.toString(system.getProcessCpuTime() - startCpuNanos);
    }
}
