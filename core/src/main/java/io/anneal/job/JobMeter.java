package io.anneal.job;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** Sums up what units count, and from the share of widths that is done foretells how long the rest will take. Any thread. */
final class JobMeter {
    private static final double NANOS_PER_SECOND = 1e9;
    /** Below this share nothing is foretold. */
    private static final double SHARE_MIN = 1e-4;

    private final LongSupplier nanoTime;
    private final List<? extends UnitRun<?>> units;
    private final long startNanos;
    private final double width;
    private final double widthBefore;
    private final int finishedBefore;

    private boolean paused;
    private long pausedSinceNanos;
    private long pausedNanos;

    JobMeter(LongSupplier nanoTime, List<? extends UnitRun<?>> units) {
        this.nanoTime = nanoTime;
        this.units = units;
        startNanos = nanoTime.getAsLong();
        width = units.stream().mapToDouble(run -> run.unit().width()).sum();
        widthBefore = widthDone();
        finishedBefore = finished();
    }

    private double widthDone() {
        return units.stream().mapToDouble(UnitRun::doneWidth).sum();
    }

    /** Changes whenever a unit comes on, and when one is thrown back. */
    double done() {
        return widthDone() + units.stream().mapToDouble(UnitRun::rows).sum();
    }

    private int finished() {
        return (int) units.stream().filter(UnitRun::isFinished).count();
    }

    /** How many units were done before this run. */
    int finishedBefore() {
        return finishedBefore;
    }

    synchronized void paused() {
        paused = true;
        pausedSinceNanos = nanoTime.getAsLong();
    }

    synchronized void resumed() {
        paused = false;
        pausedNanos += nanoTime.getAsLong() - pausedSinceNanos;
    }

    /** Of this run, pauses included. */
    double seconds() {
        return (nanoTime.getAsLong() - startNanos) / NANOS_PER_SECOND;
    }

    private double secondsAtWork() {
        long resting = pausedNanos + (paused ? nanoTime.getAsLong() - pausedSinceNanos : 0);
        return seconds() - resting / NANOS_PER_SECOND;
    }

    synchronized JobProgress progress() {
        int finished = finished();
        return new JobProgress(
                units.stream().mapToLong(UnitRun::rows).sum(),
                units.stream().mapToLong(UnitRun::bytes).sum(),
                finished,
                units.size(),
                (int) units.stream().filter(UnitRun::isAtWork).count(),
                paused,
                secondsLeft(finished));
    }

    private OptionalLong secondsLeft(int finished) {
        if (finished == units.size()) {
            return OptionalLong.of(0);
        }
        double now = widthDone();
        double share = (now - widthBefore) / width;
        return share < SHARE_MIN
                ? OptionalLong.empty()
                : OptionalLong.of(Math.round(secondsAtWork() * Math.max(0, (width - now) / width) / share));
    }
}
