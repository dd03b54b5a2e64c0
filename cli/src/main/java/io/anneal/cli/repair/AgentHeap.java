package io.anneal.cli.repair;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much of an agent's heap is free after a collection. It waits for days between two runs and then has next to nothing free; with so
 * little, a run that needs more would collect all for each step of a few MB, which took most of its time. Any thread.
 */
final class AgentHeap {
    private static final Logger LOG = LoggerFactory.getLogger(AgentHeap.class);

    /** Percent; as by default. */
    private static final int WORKING_LEAST = 40;

    private static final int WORKING_MOST = 70;
    /** Percent; as the launcher has it. */
    private static final int WAITING_LEAST = 5;

    private static final int WAITING_MOST = 10;

    private AgentHeap() {}

    /** A run begins. */
    static void work() {
        set("MaxHeapFreeRatio", WORKING_MOST);
        set("MinHeapFreeRatio", WORKING_LEAST);
    }

    /** Nothing is held any more: gives back what the run has left, which nothing else would collect. */
    static void rest() {
        set("MinHeapFreeRatio", WAITING_LEAST);
        set("MaxHeapFreeRatio", WAITING_MOST);
        System.gc();
        // What is softly kept counts as used until the collection before: the first one only tells what time it is.
        System.gc();
    }

    private static void set(String option, int percent) {
        try {
            HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            if (vm != null) {
                vm.setVMOption(option, Integer.toString(percent));
            }
        } catch (IllegalArgumentException | UnsupportedOperationException another) {
            LOG.debug("JVM does not change how much of its heap is free, option={}", option, another);
        }
    }
}
