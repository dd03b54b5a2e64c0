package io.anneal.bench.scenario;

import java.util.OptionalInt;

/**
 * What {@link RepairScenario} gives to repairs.
 *
 * @param memoryBytes heap of each node, as {@code anneal serve --memory} takes it
 * @param parallel ranges at once; empty for as many as a repair does by itself
 */
public record RepairSizes(long memoryBytes, OptionalInt parallel) {
    /** Less is no server. */
    public static final long MEMORY_MIN_BYTES = 64L << 20;

    public RepairSizes {
        if (memoryBytes < MEMORY_MIN_BYTES || parallel.orElse(1) < 1) {
            throw new IllegalArgumentException(
                    "nothing to measure with, memoryBytes=" + memoryBytes + ", parallel=" + parallel);
        }
    }
}
