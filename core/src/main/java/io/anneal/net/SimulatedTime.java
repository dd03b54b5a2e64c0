package io.anneal.net;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * The time of a simulated network: events in order, run on the one thread that made it. Whoever waits there runs events until
 * what he waits for is there, so that code that blocks needs no thread of its own; what has one all the same waits for its turn.
 */
final class SimulatedTime {
    /** A wait without a limit that takes longer than this is one that never ends. */
    static final Duration WAIT_MAX = Duration.ofDays(1);

    private static final long EVENTS_OF_WAIT_MAX = 5_000_000;
    private static final int WAITS_MAX = 100;
    private static final long TRACE_FACTOR = 0x9E3779B97F4A7C15L;

    private record Event(long nanos, long number, boolean timer, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(nanos, other.nanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final SimulatedThreads threads = new SimulatedThreads();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final long seed;
    private final SplittableRandom random;

    private long nowNanos = 1;
    private long eventNumber;
    private long eventCount;
    private long trace;
    private int foregroundCount;
    private int waitCount;
    private SimulatedEventLoop running;

    SimulatedTime(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    SplittableRandom random() {
        return random;
    }

    long nanos() {
        return nowNanos;
    }

    long eventCount() {
        return eventCount;
    }

    long trace() {
        return trace;
    }

    /** Adds to the trace what happens now. */
    void mix(long value) {
        trace = Long.rotateLeft((trace ^ value) * TRACE_FACTOR, 29);
    }

    void checkThread() {
        if (!isThread()) {
            throw new IllegalStateException("a simulated network belongs to the thread that made it, thread="
                    + Thread.currentThread().getName() + ", maker="
                    + threads.own().getName());
        }
    }

    boolean isThread() {
        return threads.isTurn();
    }

    SimulatedThreads threads() {
        return threads;
    }

    /** The loop that runs a task at this moment, or null. */
    SimulatedEventLoop running() {
        return running;
    }

    /** Runs a task as the loop's. */
    void runAs(SimulatedEventLoop loop, Runnable task) {
        SimulatedEventLoop before = running;
        running = loop;
        try {
            task.run();
        } finally {
            running = before;
        }
    }

    void after(long delayNanos, Runnable action) {
        at(nowNanos + delayNanos, action);
    }

    void at(long nanos, Runnable action) {
        add(nanos, false, action);
    }

    /** As {@link #at}, but a network with nothing else to do counts as idle. */
    void timerAt(long nanos, Runnable action) {
        add(nanos, true, action);
    }

    private void add(long nanos, boolean timer, Runnable action) {
        checkThread();
        events.add(new Event(Math.max(nanos, nowNanos), eventNumber++, timer, action));
        foregroundCount += timer ? 0 : 1;
    }

    private void step() {
        Event event = events.remove();
        assert event.nanos >= nowNanos : "time goes back";
        foregroundCount -= event.timer ? 0 : 1;
        nowNanos = event.nanos;
        eventCount++;
        mix(event.nanos);
        mix(event.number);
        event.action.run();
    }

    /** Runs events until there are only timers left. */
    void runUntilIdle() {
        run(() -> foregroundCount == 0 && !threads.canGoOn(nowNanos), Long.MAX_VALUE);
    }

    /** Runs events until it is done. */
    void runUntil(BooleanSupplier done) {
        run(done, Long.MAX_VALUE);
    }

    /** Runs events until it is done or the time is over, which then has passed; true if it is done. */
    boolean runUntil(BooleanSupplier done, Duration timeout) {
        return run(done, Math.max(0, timeout.toNanos()));
    }

    /** As {@link #runUntil(BooleanSupplier)}, but an interrupt ends the wait of a thread beside the network's own. */
    void runUntilInterrupted(BooleanSupplier done) {
        runUntil(orInterrupted(done));
    }

    /** The same up to a time limit; true if it is done, or the caller is interrupted. */
    boolean runUntilInterrupted(BooleanSupplier done, Duration timeout) {
        return runUntil(orInterrupted(done), timeout);
    }

    private BooleanSupplier orInterrupted(BooleanSupplier done) {
        Thread waiting = Thread.currentThread();
        return threads.isOwn() ? done : () -> done.getAsBoolean() || waiting.isInterrupted();
    }

    private boolean run(BooleanSupplier done, long timeoutNanos) {
        checkThread();
        if (!threads.isOwn()) {
            return runElsewhere(done, timeoutNanos);
        }
        if (running != null) {
            throw new IllegalStateException("an event loop waits, which stops all of its connections" + facts());
        }
        if (waitCount == WAITS_MAX) {
            throw stuck("too many tasks wait, one inside the other");
        }
        boolean limited = timeoutNanos != Long.MAX_VALUE;
        long deadlineNanos = nowNanos + (limited ? Math.min(timeoutNanos, Long.MAX_VALUE / 2) : WAIT_MAX.toNanos());
        long lastEvent = eventCount + EVENTS_OF_WAIT_MAX;
        waitCount++;
        try {
            while (!done.getAsBoolean()) {
                if (threads.goOn(nowNanos)) {
                    continue;
                }
                Event next = events.peek();
                long firstNanos = Math.min(deadlineNanos, threads.firstDeadlineNanos());
                if (firstNanos < deadlineNanos && (next == null || next.nanos > firstNanos)) {
                    nowNanos = Math.max(nowNanos, firstNanos);
                    continue;
                }
                if (next == null && !limited) {
                    throw stuck("nothing is left to happen, so this waits for ever");
                }
                if (next == null || next.nanos > deadlineNanos) {
                    if (!limited) {
                        throw stuck("what is waited for has not come within a day of virtual time");
                    }
                    nowNanos = Math.max(nowNanos, deadlineNanos);
                    return done.getAsBoolean();
                }
                if (eventCount == lastEvent) {
                    throw stuck("the wait takes so many events that it must be a loop without end");
                }
                step();
            }
            return true;
        } finally {
            waitCount--;
        }
    }

    /** On a thread beside the network's own. */
    private boolean runElsewhere(BooleanSupplier done, long timeoutNanos) {
        boolean limited = timeoutNanos != Long.MAX_VALUE;
        long deadlineNanos = nowNanos + (limited ? Math.min(timeoutNanos, Long.MAX_VALUE / 2) : WAIT_MAX.toNanos());
        if (!done.getAsBoolean()) {
            threads.await(done, deadlineNanos);
        }
        boolean isDone = done.getAsBoolean();
        if (!isDone && !limited) {
            throw stuck("what is waited for has not come within a day of virtual time");
        }
        return isDone;
    }

    private IllegalStateException stuck(String reason) {
        return new IllegalStateException(reason + facts());
    }

    private String facts() {
        return ", seed=" + seed + ", virtualTime=" + Duration.ofNanos(nowNanos) + ", events=" + eventCount
                + ", outerWaits=" + waitCount;
    }
}
