package io.anneal.simulation;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A world of one thread: a clock that jumps from event to event, and executors whose tasks are those events, in an order that one
 * seed gives. Everything that happens at the same moment happens in a random order. The clock never stands still between
 * two readings.
 */
final class VirtualTime implements InstantSource {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private record Event(long atNanos, long tie, Runnable work) {}

    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>((left, right) -> left.atNanos != right.atNanos
            ? Long.compare(left.atNanos, right.atNanos)
            : Long.compare(left.tie, right.tie));
    private long nanos;

    VirtualTime(SplittableRandom random) {
        this.random = random;
    }

    long nanoTime() {
        return nanos++;
    }

    /** Strictly monotonic in microseconds, so that no two writes tie. */
    @Override
    public Instant instant() {
        nanos += 1_000;
        return START.plusNanos(nanos);
    }

    /** As {@link #instant} would tell, without the clock going on for it. */
    long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, START.plusNanos(nanos));
    }

    void after(long delayNanos, Runnable work) {
        events.add(new Event(nanos + Math.max(1, delayNanos), random.nextLong(), work));
    }

    /** Runs the next event; whether there was one. */
    boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        nanos = Math.max(nanos, next.atNanos);
        next.work.run();
        return true;
    }

    void runFor(long durationNanos) {
        long end = nanos + durationNanos;
        while (!events.isEmpty() && events.peek().atNanos <= end) {
            step();
        }
        nanos = Math.max(nanos, end);
    }

    /** An executor of one process, all of whose tasks vanish when it is killed. */
    Process process() {
        return new Process();
    }

    /** The threads of one process. */
    final class Process {
        private boolean killed;
        private boolean waitedFor;

        /** Does work that waits for what it has others do, which then do it at once: there is no other thread. */
        void atOnce(Runnable work) {
            waitedFor = true;
            try {
                work.run();
            } finally {
                waitedFor = false;
            }
        }

        void kill() {
            killed = true;
        }

        boolean killed() {
            return killed;
        }

        /** Runs later in this process, if it still lives then. */
        void after(long delayNanos, Runnable work) {
            VirtualTime.this.after(delayNanos, () -> {
                if (!killed) {
                    work.run();
                }
            });
        }

        ScheduledExecutorService executor() {
            return new Executor(this);
        }
    }

    private final class Executor extends TimedExecutor {
        private static final long DISPATCH_NANOS = 20_000;

        private final Process process;

        Executor(Process process) {
            this.process = process;
        }

        @Override
        long nanos() {
            return nanos;
        }

        @Override
        void after(long delayNanos, Runnable work) {
            process.after(delayNanos, work);
        }

        @Override
        public void execute(Runnable work) {
            if (process.waitedFor) {
                work.run();
                return;
            }
            schedule(work, random.nextLong(DISPATCH_NANOS), TimeUnit.NANOSECONDS);
        }
    }
}
