package io.anneal.bench.scenario;

import java.io.IOException;

/** Work done before it is measured, so that it is compiled. */
final class Warming {
    private static final int RUNS_MAX = 1000;
    /** Work that waits for the disk hardly uses the processor. */
    private static final int WALL_FACTOR = 4;

    private Warming() {}

    /** At least once; by its own time on the processor, since on a busy machine little may be done in much time. */
    static void warm(BenchConfig config, Contender contender) throws IOException {
        long wallNanos = 0;
        long cpuNanos = 0;
        int count = 0;
        do {
            Run run = contender.work().run();
            wallNanos += run.wallNanos();
            cpuNanos += run.cpuNanos();
            count++;
        } while (cpuNanos < config.warmUpNanos() && wallNanos / WALL_FACTOR < config.warmUpNanos() && count < RUNS_MAX);
    }
}
