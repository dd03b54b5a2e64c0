package io.anneal.harness.store;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that goes on only from one piece of work to the next. One thread. */
final class SimulatedTime implements InstantSource, Delayer {
    private record Work(long atNanos, long number, Runnable task) {}

    private static final long START_SECONDS = 1_700_000_000;

    private final PriorityQueue<Work> queue =
            new PriorityQueue<>(Comparator.comparingLong(Work::atNanos).thenComparingLong(Work::number));
    private long nowNanos;
    private long numbers;

    @Override
    public Instant instant() {
        return Instant.ofEpochSecond(START_SECONDS, nowNanos);
    }

    @Override
    public void after(long delayNanos, Runnable work) {
        queue.add(new Work(nowNanos + delayNanos, numbers++, work));
    }

    void advanceSeconds(long seconds) {
        nowNanos += seconds * 1_000_000_000;
    }

    /** Does all work in its order. */
    void run() {
        for (Work work = queue.poll(); work != null; work = queue.poll()) {
            nowNanos = Math.max(nowNanos, work.atNanos());
            work.task().run();
        }
    }

    long nowNanos() {
        return nowNanos;
    }
}
