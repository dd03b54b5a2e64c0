package io.anneal.job;

import io.anneal.io.StorageException;
import io.anneal.job.CheckpointContent.UnitState;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A unit while it is worked on: what a task asks and tells. It belongs to the worker that has the unit; only its counts are read by
 * others.
 */
public final class UnitRun<U extends JobUnit> {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Makes several units of one that is worked on. */
    @FunctionalInterface
    public interface Splitter<U extends JobUnit> {
        /**
         * Has the task do no more than what stays. One call at a time, from another thread than the task's; it may wait for the
         * task, but no longer than that runs.
         *
         * @param parts how many there are to be of what is left, about as large as each other; two at least
         * @return empty if the unit stays whole
         */
        Optional<Split<U>> split(int parts) throws IOException, InterruptedException;
    }

    /**
     * A unit as several.
     *
     * @param kept what its task goes on with
     * @param rest what other workers take, one at least
     */
    public record Split<U extends JobUnit>(U kept, List<U> rest) {
        public Split {
            rest = List.copyOf(rest);
        }
    }

    private volatile U unit;
    private final int index;
    private final RangeJob<U> job;
    private final Checkpoint checkpoint;

    /** One thread writes, the meter reads. */
    private volatile long rows;

    private volatile long bytes;
    private volatile double covered;

    /** Counted before this attempt; an attempt that fails goes back to it. */
    private long rowsBefore;

    private long bytesBefore;
    private double coveredBefore;
    private Optional<String> kept;
    /** What the task said; only recording it is left to do. */
    private Optional<RangeJob.Outcome> outcome = Optional.empty();

    /** What this attempt did not do, if it ended before the unit's end. */
    private Optional<Split<U>> cut = Optional.empty();

    private Optional<String> result = Optional.empty();
    /** What was cut off, as units of the job. */
    private List<UnitRun<U>> rest = List.of();

    private volatile boolean finished;
    private volatile boolean atWork;

    /** Of all attempts of one pass. */
    private UnitTries tries;

    /** Held while it is split, and to end that. */
    private final Object splitting = new Object();

    private volatile Optional<Splitter<U>> splitter = Optional.empty();
    /** It stays whole until more of it is behind. */
    private volatile double wholeUpTo = -1;

    private volatile long startNanos;
    private volatile double startCovered;
    /** What a unit takes by the time that the one took from which it was split; 0 if it was not. */
    private volatile double secondsExpected;

    UnitRun(U unit, int index, RangeJob<U> job, Checkpoint checkpoint) {
        this.unit = unit;
        this.index = index;
        this.job = job;
        this.checkpoint = checkpoint;
        UnitState state = checkpoint.unit(index);
        finished = state.isDone();
        kept = state.kept();
        rowsBefore = state.rows();
        bytesBefore = state.bytes();
        rows = rowsBefore;
        bytes = bytesBefore;
    }

    /** What is to be done; less than before once a part of it was split off. */
    public U unit() {
        return unit;
    }

    /** How far an earlier attempt or an earlier run came, in the words that were given to {@link #keep}. */
    public Optional<String> kept() {
        return kept;
    }

    /**
     * Before each row, or each piece of some: waits as the rates say and while the job is paused.
     *
     * @throws JobRefusedException when the job must not go on
     * @throws JobAbortedException when it was aborted
     */
    public void pace(long rowCount, long byteCount) throws InterruptedException {
        job.pace(rowCount, byteCount);
    }

    /**
     * The same, but no longer than what is worked on is there.
     *
     * @param gone whether it is not, so that the task fails as soon as it goes on; asked ten times a second
     */
    public void pace(long rowCount, long byteCount, BooleanSupplier gone) throws InterruptedException {
        job.pace(rowCount, byteCount, gone);
    }

    /** Whether the job shall end soon: a task that can end before its unit's end does so now, see {@link #endsBefore}. Any thread. */
    public boolean isStopping() {
        return job.isStopping();
    }

    /** Counts what was done. It counts no more if this attempt fails. */
    public void add(long rowCount, long byteCount) {
        rows += rowCount;
        bytes += byteCount;
    }

    /** Tells how much of the unit's width is behind, for the time left. */
    public void covered(double width) {
        covered = width;
    }

    /**
     * Records how far the unit is: an attempt after a failure, and a run after a crash, find it in {@link #kept}. What was counted
     * up to here stays counted. Returns once it is on the disk.
     */
    public void keep(String how) throws StorageException {
        checkpoint.record(index, checkpoint.unit(index).kept(rows, bytes, how));
        kept = Optional.of(how);
        settle();
    }

    /**
     * Records what an attempt leaves that fails: attempts after it, and later runs, find it in {@link #kept}. What it counted does not
     * count. Returns once it is on the disk.
     */
    public void leavesUndone(String words) throws StorageException {
        checkpoint.record(index, checkpoint.unit(index).kept(rowsBefore, bytesBefore, words));
        kept = Optional.of(words);
    }

    /**
     * This attempt does no more than what stays, which is done when the task says so: the rest is a unit that comes right after it, so
     * that no more is lost with a run than what was done since. Not while it may be split.
     */
    public void endsBefore(Split<U> parts) {
        cut = Optional.of(parts);
    }

    /** What later runs of the checkpoint find in {@link RangeJob#results} once the unit is done, in the words of its task. */
    public void leaves(String words) {
        result = Optional.of(words);
    }

    /**
     * From here on, up to the end of this attempt, a part of the unit may be given to another worker: {@link #unit()} is then what
     * stays, for later attempts too.
     */
    public void splitsBy(Splitter<U> value) {
        splitter = Optional.of(value);
    }

    /** A pass begins. */
    void tries(UnitTries value) {
        tries = value;
    }

    UnitTries tries() {
        return tries;
    }

    /** An attempt begins. */
    void started(long nowNanos) {
        startNanos = nowNanos;
        startCovered = covered;
        wholeUpTo = -1;
        cut = Optional.empty();
        result = Optional.empty();
    }

    /**
     * The task has done all of the unit: nothing is split off any more. Returns when a split that has begun has ended, so that {@link
     * #unit()} is what it did.
     */
    public void endSplits() {
        synchronized (splitting) {
            splitter = Optional.empty();
        }
    }

    boolean maySplit() {
        return splitter.isPresent() && covered > wholeUpTo;
    }

    /** It could not be split where it is. */
    void keepWhole() {
        wholeUpTo = covered;
    }

    /** Splits it if that is possible; {@code adding} then makes the rest units of the job before the task can end. */
    List<UnitRun<U>> split(int parts, long nowNanos, Function<Split<U>, List<UnitRun<U>>> adding)
            throws IOException, InterruptedException {
        synchronized (splitting) {
            if (splitter.isEmpty()) {
                return List.of();
            }
            double secondsBefore = secondsLeft(nowNanos);
            Optional<Split<U>> split = splitter.get().split(parts);
            if (split.isEmpty()) {
                return List.of();
            }
            List<UnitRun<U>> rest = adding.apply(split.get());
            unit = split.get().kept();
            rest.forEach(part -> part.secondsExpected = secondsBefore / (1 + rest.size()));
            return rest;
        }
    }

    /** How long this attempt has taken so far. */
    double seconds(long nowNanos) {
        return (nowNanos - startNanos) / NANOS_PER_SECOND;
    }

    /** By what this attempt took so far. Before any of it is done, at least as long again. */
    double secondsLeft(long nowNanos) {
        double seconds = seconds(nowNanos);
        double behind = covered - startCovered;
        return behind > 0
                ? seconds * Math.max(0, unit.width() - covered) / behind
                : Math.max(seconds, secondsExpected - seconds);
    }

    private void settle() {
        rowsBefore = rows;
        bytesBefore = bytes;
        coveredBefore = covered;
    }

    boolean isWorked() {
        return outcome.isPresent();
    }

    void worked(RangeJob.Outcome value) {
        outcome = Optional.of(value);
        settle();
    }

    /** Makes what the task said last. */
    void end(long nowNanos) throws StorageException {
        switch (outcome.orElseThrow()) {
            case DONE -> {
                List<U> left = cut.map(Split::rest).orElse(List.of());
                U did = cut.map(Split::kept).orElse(unit);
                int first = checkpoint.record(
                        index,
                        checkpoint.unit(index).named(did.text()).done(rows, bytes, result),
                        left.stream().map(JobUnit::text).toList());
                double secondsPerToken = seconds(nowNanos) / did.width();
                unit = did;
                finished = true;
                rest = job.added(left, first);
                rest.forEach(part -> part.secondsExpected = secondsPerToken * part.unit.width());
            }
            case UNRECORDED -> finished = true;
            case OPEN -> {
                // Another pass has it.
            }
        }
        outcome = Optional.empty();
    }

    /** What was cut off when it was done: it comes next. */
    List<UnitRun<U>> rest() {
        return rest;
    }

    /** The attempt failed. */
    void undo() {
        if (outcome.isEmpty()) {
            rows = rowsBefore;
            bytes = bytesBefore;
            covered = coveredBefore;
        }
    }

    int index() {
        return index;
    }

    /** Its task runs, or runs no more. */
    void atWork(boolean isRunning) {
        atWork = isRunning;
    }

    boolean isAtWork() {
        return atWork;
    }

    boolean isFinished() {
        return finished;
    }

    long rows() {
        return rows;
    }

    long bytes() {
        return bytes;
    }

    /** Of its width. */
    double doneWidth() {
        return finished ? unit.width() : Math.min(unit.width(), covered);
    }

    @Override
    public String toString() {
        return JobFailedException.brief(unit.text());
    }
}
