package io.anneal.job;

import java.io.IOException;
import java.util.List;

/** Units failed, for the last time that they are tried. The others were done all the same, and the next run goes on with those that failed. */
public final class JobFailedException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final int NAMED_MAX = 10;

    private final transient List<UnitFailure> failures;

    /**
     * A unit, and why it failed the last time it was tried.
     *
     * @param unit as {@link JobUnit#text()} names it
     */
    public record UnitFailure(String unit, Exception cause) {}

    private JobFailedException(String message, List<UnitFailure> failures) {
        super(message, failures.get(0).cause());
        this.failures = List.copyOf(failures);
        failures.stream().skip(1).limit(NAMED_MAX).forEach(failure -> addSuppressed(failure.cause()));
    }

    static JobFailedException of(String job, List<UnitFailure> failures) {
        return new JobFailedException(
                "units failed, run again to go on with them, job=" + job + ", units="
                        + failures.stream()
                                .limit(NAMED_MAX)
                                .map(UnitFailure::unit)
                                .toList() + ", count=" + failures.size() + ", reason="
                        + reason(failures.get(0).cause()),
                failures);
    }

    /** Work that cannot be recorded would be done for nothing. */
    static JobFailedException ofCheckpoint(String job, int attempts, UnitFailure failure) {
        return new JobFailedException(
                "what is done can't be recorded, the job ends, job=" + job + ", unit=" + failure.unit() + ", attempts="
                        + attempts + ", reason=" + reason(failure.cause()),
                List.of(failure));
    }

    static String reason(Exception cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** All units that failed. */
    public List<UnitFailure> failures() {
        return failures;
    }
}
