package io.anneal.job;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives workers units of one pass. Workers that find none waiting take parts of the unit that has most time left with another
 * worker, where units may be split. Any thread.
 */
final class UnitQueue<U extends JobUnit> {
    private static final Logger LOG = LoggerFactory.getLogger(UnitQueue.class);
    /** How often a worker without a unit looks how long the others will take. */
    private static final long LOOK_MS = 100;

    /** Takes up the parts that a unit gave away, so many less one at most; none if it stays whole. */
    @FunctionalInterface
    interface Taking<U extends JobUnit> {
        List<UnitRun<U>> from(UnitRun<U> unit, int parts) throws IOException, InterruptedException;
    }

    private final LongSupplier nanoTime;
    private final BooleanSupplier ending;
    /** Empty if units are not split. */
    private final Optional<Taking<U>> taking;

    private final double secondsLeast;
    private final Deque<UnitRun<U>> waiting;
    private final Set<UnitRun<U>> running = new LinkedHashSet<>();
    private int withoutRoom;
    private int idle;
    private boolean splits;

    /** @param secondsLeast what has less time left is not split; nor is what has just begun, since it may soon be at its end */
    UnitQueue(
            Collection<UnitRun<U>> units,
            LongSupplier nanoTime,
            BooleanSupplier ending,
            Optional<Taking<U>> taking,
            double secondsLeast) {
        this.nanoTime = nanoTime;
        this.ending = ending;
        this.taking = taking;
        this.secondsLeast = secondsLeast;
        waiting = new ArrayDeque<>(units);
    }

    /** The next unit, which the worker has until {@link #ended} or {@link #putBack}; empty when none will come. */
    Optional<UnitRun<U>> next() throws InterruptedException {
        while (!ending.getAsBoolean()) {
            Optional<UnitRun<U>> longest;
            int parts;
            synchronized (this) {
                UnitRun<U> first = waiting.poll();
                if (first != null) {
                    running.add(first);
                    first.started(nanoTime.getAsLong());
                    return Optional.of(first);
                }
                if (taking.isEmpty() || running.isEmpty() && withoutRoom == 0 && !splits) {
                    notifyAll();
                    return Optional.empty();
                }
                longest = longest();
                if (longest.isEmpty()) {
                    idle++;
                    try {
                        wait(LOOK_MS);
                    } finally {
                        idle--;
                    }
                    continue;
                }
                splits = true;
                parts = parts(longest.get());
            }
            Optional<UnitRun<U>> part = part(longest.get(), parts);
            if (part.isPresent()) {
                return part;
            }
        }
        return Optional.empty();
    }

    /** What to split now: nothing while another worker is at it, or there is no room for more units. */
    private Optional<UnitRun<U>> longest() {
        if (splits || withoutRoom > 0) {
            return Optional.empty();
        }
        long nowNanos = nanoTime.getAsLong();
        return running.stream()
                .filter(unit -> unit.maySplit()
                        && unit.seconds(nowNanos) >= secondsLeast / 4
                        && unit.secondsLeft(nowNanos) >= secondsLeast)
                .max(Comparator.comparingDouble(unit -> unit.secondsLeft(nowNanos)));
    }

    /** One for each idle worker, and for the one that splits, but none that is done sooner than half of what is worth a split. */
    private int parts(UnitRun<U> unit) {
        double worth = 2 * unit.secondsLeft(nanoTime.getAsLong()) / Math.max(secondsLeast, Double.MIN_NORMAL);
        return (int) Math.max(2, Math.min(idle + 2, worth));
    }

    private Optional<UnitRun<U>> part(UnitRun<U> unit, int parts) throws InterruptedException {
        List<UnitRun<U>> rest = List.of();
        try {
            rest = taking.orElseThrow().from(unit, parts);
        } catch (IOException | RuntimeException failure) {
            LOG.warn("unit was not split, unit={}, cause={}", unit, failure.toString());
            LOG.debug("unit was not split, unit={}", unit, failure);
        } finally {
            synchronized (this) {
                splits = false;
                if (rest.isEmpty()) {
                    unit.keepWhole();
                } else {
                    running.add(rest.get(0));
                    rest.get(0).started(nanoTime.getAsLong());
                    waiting.addAll(rest.subList(1, rest.size()));
                }
                notifyAll();
            }
        }
        return rest.stream().findFirst();
    }

    /**
     * It is done, or failed for the last time.
     *
     * @param rest comes before all that waits
     */
    synchronized void ended(UnitRun<U> unit, List<UnitRun<U>> rest) {
        running.remove(unit);
        for (int i = rest.size() - 1; i >= 0; i--) {
            waiting.addFirst(rest.get(i));
        }
        notifyAll();
    }

    /** There is no room for it now: the next worker has it, which may be one whose room has become free. */
    synchronized void putBack(UnitRun<U> unit) {
        running.remove(unit);
        waiting.addFirst(unit);
        withoutRoom++;
        notifyAll();
    }

    /** The worker that had put a unit back comes again. */
    synchronized void cameAgain() {
        withoutRoom--;
        notifyAll();
    }
}
