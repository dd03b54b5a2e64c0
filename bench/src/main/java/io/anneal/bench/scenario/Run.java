package io.anneal.bench.scenario;

/**
 * What a contender took once.
 *
 * @param rows 0 where there are none
 * @param dataBytes uncompressed; 0 where a rate would say nothing
 * @param wallNanos one at least, so that rates are finite
 * @param cpuNanos of the working thread, or of all where several work
 * @param allocatedBytes by the working thread; 0 where several work
 */
record Run(long rows, long dataBytes, long wallNanos, long cpuNanos, long allocatedBytes) {
    private static final double SECOND_NANOS = 1e9;

    Run {
        wallNanos = Math.max(1, wallNanos);
    }

    double wallSeconds() {
        return wallNanos / SECOND_NANOS;
    }

    double cpuSeconds() {
        return cpuNanos / SECOND_NANOS;
    }

    double rowsPerSecond() {
        return rows / wallSeconds();
    }

    double bytesPerSecond() {
        return dataBytes / wallSeconds();
    }

    double bytesPerCpuSecond() {
        return dataBytes * SECOND_NANOS / Math.max(1, cpuNanos);
    }

    double allocatedPerRow() {
        return (double) allocatedBytes / rows;
    }
}
