package io.anneal.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Units failed, for the last time that they are tried. The others were done all the same, and the next run goes on with those that failed. */
public final class JobFailedException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final int NAMED_MAX = 10;
    private static final int NAME_MAX = 200;

    private final transient List<UnitFailure> failures;
    private final String job;
    private final int unitsDone;
    private final int unitsTotal;
    private final boolean isUnrecorded;

    /**
     * A unit, and why it failed the last time it was tried.
     *
     * @param unit as {@link JobUnit#text()} names it
     */
    public record UnitFailure(String unit, Exception cause) {}

    private JobFailedException(
            String job,
            String message,
            List<UnitFailure> failures,
            int unitsDone,
            int unitsTotal,
            boolean isUnrecorded) {
        super(message, failures.get(0).cause());
        this.isUnrecorded = isUnrecorded;
        this.job = job;
        this.unitsDone = unitsDone;
        this.unitsTotal = unitsTotal;
        this.failures = List.copyOf(failures);
        failures.stream().skip(1).limit(NAMED_MAX).forEach(failure -> addSuppressed(failure.cause()));
    }

    /** @param unitsDone of all units of the job, by earlier runs too */
    static JobFailedException of(String job, List<UnitFailure> failures, int unitsDone, int unitsTotal) {
        return new JobFailedException(
                job,
                "units failed, run again to go on with them, job=" + job + ", units="
                        + failures.stream()
                                .limit(NAMED_MAX)
                                .map(failure -> brief(failure.unit()))
                                .toList() + ", count=" + failures.size() + ", done=" + unitsDone + " of " + unitsTotal
                        + ", reason="
                        + reason(failures.get(0).cause()),
                failures,
                unitsDone,
                unitsTotal,
                false);
    }

    /** Work that cannot be recorded would be done for nothing. */
    static JobFailedException ofCheckpoint(
            String job, int attempts, UnitFailure failure, int unitsDone, int unitsTotal) {
        return new JobFailedException(
                job,
                "what is done can't be recorded, the job ends, job=" + job + ", unit=" + brief(failure.unit())
                        + ", attempts="
                        + attempts + ", reason=" + reason(failure.cause()),
                List.of(failure),
                unitsDone,
                unitsTotal,
                true);
    }

    /** For a line of a log or a message: a unit of thousands of ranges has a text of a hundred thousand characters. */
    static String brief(String unit) {
        return unit.length() <= NAME_MAX
                ? unit
                : unit.substring(0, NAME_MAX) + "... (" + unit.length() + " characters)";
    }

    static String reason(Exception cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** Both failures as one, of two passes of one job. */
    public JobFailedException and(JobFailedException later) {
        List<UnitFailure> both = new ArrayList<>(failures);
        both.addAll(later.failures);
        return of(job, both, later.unitsDone, later.unitsTotal);
    }

    /** Whether the job has ended because what is done can't be recorded: nothing more of it should run. */
    public boolean isUnrecorded() {
        return isUnrecorded;
    }

    /** How many units of the job are done, by earlier runs too. */
    public int unitsDone() {
        return unitsDone;
    }

    public int unitsTotal() {
        return unitsTotal;
    }

    /** All units that failed. */
    public List<UnitFailure> failures() {
        return failures;
    }
}
