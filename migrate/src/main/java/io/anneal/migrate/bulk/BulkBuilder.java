package io.anneal.migrate.bulk;

import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.RateLimiter;
import io.anneal.job.JobControl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What back-fills and verifications have in common to be told, there and back. One thread. */
abstract sealed class BulkBuilder<B extends BulkBuilder<B>>
        permits Backfill.Builder, Verification.Builder, ReverseBackfill.Builder {
    Optional<Path> checkpoint = Optional.empty();
    int ranges = 256;
    int parallel = 4;
    long rowsPerSecond = RateLimiter.UNLIMITED;
    long bytesPerSecond = RateLimiter.UNLIMITED;
    int attempts = 5;
    Duration backoff = Duration.ofSeconds(1);
    Optional<PhasesOf> phases = Optional.empty();
    BulkProgress.Listener listener = progress -> {};
    JobControl control = new JobControl();
    HostEnvironment environment = HostEnvironment.system();

    /** The migration that a run is a part of, and who runs it. */
    record PhasesOf(PhaseStore store, PhaseControl control, String who) {}

    abstract B self();

    /**
     * Where it is kept which ranges are done, so that the next run goes on there; the file is made if it is not there. Without, a
     * run that is interrupted begins again.
     */
    public B checkpoint(Path file) {
        checkpoint = Optional.of(file);
        return self();
    }

    /** Into how many ranges the data is cut, about; what is done again after a failure is one of them. 256 unless told. */
    public B ranges(int count) {
        ranges = positive("ranges", count);
        return self();
    }

    /** How many ranges are worked on at once; 4 unless told. */
    public B parallel(int count) {
        parallel = positive("parallel", count);
        return self();
    }

    /** Entries a second over all ranges, 0 for as fast as it goes. */
    public B rowsPerSecond(long rate) {
        rowsPerSecond = rate;
        return self();
    }

    /** Bytes a second over all ranges, 0 for as fast as it goes. */
    public B bytesPerSecond(long rate) {
        bytesPerSecond = rate;
        return self();
    }

    /** How often a range that fails is tried, and how long it waits before the second time; it waits twice as long each time after. */
    public B retries(int attemptCount, Duration firstBackoff) {
        attempts = positive("attempts", attemptCount);
        backoff = firstBackoff;
        return self();
    }

    /**
     * The migration that this is a part of: the run shows up among the heartbeats and leaves a note that gates look for. A back-fill
     * begins only once all instances write to both sides, and stops when they don't any more, or the target is right.
     *
     * @param store for heartbeats
     * @param who stands in the note
     */
    public B phases(PhaseStore store, PhaseControl control, String who) {
        phases = Optional.of(new PhasesOf(store, control, who));
        return self();
    }

    public B progress(BulkProgress.Listener told) {
        listener = told;
        return self();
    }

    /** What pauses, resumes and aborts the run, from any thread. */
    public B control(JobControl handle) {
        control = handle;
        return self();
    }

    /** Time and threads; the machine's unless told. */
    public B environment(HostEnvironment timeAndThreads) {
        environment = timeAndThreads;
        return self();
    }

    /** Takes over all that is common. */
    B as(BulkBuilder<?> other) {
        checkpoint = other.checkpoint;
        ranges = other.ranges;
        parallel = other.parallel;
        rowsPerSecond = other.rowsPerSecond;
        bytesPerSecond = other.bytesPerSecond;
        attempts = other.attempts;
        backoff = other.backoff;
        phases = other.phases;
        listener = other.listener;
        control = other.control;
        environment = other.environment;
        return self();
    }

    static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be positive, " + name + "=" + value);
        }
        return value;
    }
}
