package io.anneal.job;

import io.anneal.io.StorageException;
import io.anneal.job.CheckpointContent.UnitState;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A unit while it is worked on: what a task asks and tells. It belongs to the worker that has the unit; only its counts are read by
 * others.
 */
public final class UnitRun<U extends JobUnit> {
    private final U unit;
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

    private volatile boolean finished;

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
    void end() throws StorageException {
        switch (outcome.orElseThrow()) {
            case DONE -> {
                checkpoint.record(index, checkpoint.unit(index).done(rows, bytes));
                finished = true;
            }
            case UNRECORDED -> finished = true;
            case OPEN -> {
                // Another pass has it.
            }
        }
        outcome = Optional.empty();
    }

    /** The attempt failed. */
    void undo() {
        if (outcome.isEmpty()) {
            rows = rowsBefore;
            bytes = bytesBefore;
            covered = coveredBefore;
        }
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
