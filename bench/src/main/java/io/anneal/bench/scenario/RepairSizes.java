package io.anneal.bench.scenario;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What {@link RepairScenario} gives to repairs.
 *
 * @param memoryBytes heap of each node, as {@code anneal serve --memory} takes it
 * @param parallel ranges at once; empty for as many as a repair does by itself
 * @param systems sides that are wanted; empty for all
 * @param javaOptions of the nodes' processes, beside those that a server has
 * @param sessionLeast how long a session of a repair with a checkpoint runs at least before it ends to be recorded
 */
public record RepairSizes(
        long memoryBytes,
        OptionalInt parallel,
        Set<BenchSystem> systems,
        List<String> javaOptions,
        Duration sessionLeast) {
    /** Less is no server. */
    public static final long MEMORY_MIN_BYTES = 64L << 20;

    public RepairSizes {
        systems = Set.copyOf(systems);
        javaOptions = List.copyOf(javaOptions);
        if (memoryBytes < MEMORY_MIN_BYTES || parallel.orElse(1) < 1) {
            throw new IllegalArgumentException(
                    "nothing to measure with, memoryBytes=" + memoryBytes + ", parallel=" + parallel);
        }
    }

    /** As the command has them. */
    public static RepairSizes of(
            long memoryBytes, OptionalInt parallel, Set<BenchSystem> systems, Duration sessionLeast) {
        return new RepairSizes(memoryBytes, parallel, systems, List.of(), sessionLeast);
    }

    boolean wants(BenchSystem system) {
        return systems.isEmpty() || systems.contains(system);
    }
}
