package io.anneal.migrate.bulk;

import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.job.JobProgress;
import io.anneal.job.RangeJob;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job as a part of a migration: it goes on only while the phase is one for it, shows up among the heartbeats, and counts mismatches.
 * Made and closed by one thread; its workers use it.
 */
final class BulkRun implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(BulkRun.class);
    private static final Duration BACKOFF_MAX = Duration.ofSeconds(30);

    /**
     * What a run is: only one that is the same may go on with its ranges.
     *
     * @param kind back-fill or verification, with what makes a difference to its result
     * @param source its identity
     * @param shape of what both sides hold
     */
    record Identity(String kind, String source, String target, String shape) {
        private Map<String, String> parts() {
            return Map.of("kind", kind, "source", source, "target", target, "shape", shape);
        }
    }

    private final BulkBuilder<?> told;
    private final String kind;
    private final Optional<BulkPhase> phase;
    private final LongAdder mismatches = new LongAdder();
    private RangeJob<BulkRange> job;

    private BulkRun(BulkBuilder<?> told, String kind, Optional<BulkPhase> phase) {
        this.told = told;
        this.kind = kind;
        this.phase = phase;
    }

    /**
     * @param epoch as {@link BulkStart#epoch()}: what an earlier run did in another one is done again
     * @param validSinceMillis what a run did that started before is done again
     * @param ranges of a run that starts
     */
    static BulkRun open(
            BulkBuilder<?> told,
            String kind,
            Optional<BulkPhase> phase,
            Identity identity,
            long epoch,
            long validSinceMillis,
            RangeJob.Units<BulkRange> ranges)
            throws IOException, InterruptedException {
        BulkRun run = new BulkRun(told, kind, phase);
        BulkStart start = phase.map(part -> part.start(epoch))
                .orElseGet(() ->
                        new BulkStart(0, told.environment.clock().instant().toEpochMilli(), true, epoch));
        RangeJob.Builder<BulkRange> job = RangeJob.builder(kind, BulkRange::parse, told.environment)
                .facts(start.facts(), facts -> {
                    BulkStart found = BulkStart.of(facts);
                    return found.epoch() == epoch && found.startedMillis() >= validSinceMillis;
                })
                .parallel(told.parallel)
                .retries(told.attempts, told.backoff, BACKOFF_MAX)
                .rowsPerSecond(told.rowsPerSecond)
                .bytesPerSecond(told.bytesPerSecond)
                .control(told.control)
                .guard(run::look)
                .listener(run::tell);
        told.checkpoint.ifPresent(file -> job.checkpoint(file, identity.parts()));
        run.job = job.open(ranges);
        return run;
    }

    /** About once a second, and at the end. */
    private void tell(JobProgress progress) {
        BulkProgress now = progress(progress);
        try {
            phase.ifPresent(part -> part.beat(now));
        } catch (PhaseStoreException e) {
            cannotAsk(e);
        }
        told.listener.progressed(now);
    }

    private void look() {
        try {
            requirePhase();
        } catch (PhaseStoreException e) {
            cannotAsk(e);
        }
    }

    /**
     * Before something is made good, and after it was read.
     *
     * @throws BulkRefusedException when the phase is not one for this run any more
     */
    void requirePhase() {
        phase.ifPresent(BulkPhase::require);
    }

    /** The next time may go well; what is copied is right all the same. */
    private void cannotAsk(PhaseStoreException e) {
        LOG.warn("phase store can't be asked, run={}, reason={}", kind, e.getMessage());
    }

    RangeJob<BulkRange> job() {
        return job;
    }

    Optional<BulkPhase> phase() {
        return phase;
    }

    BulkStart start() {
        return BulkStart.of(job.facts());
    }

    BulkProgress progress() {
        return progress(job.progress());
    }

    private BulkProgress progress(JobProgress progress) {
        return new BulkProgress(
                progress.rows(),
                progress.bytes(),
                progress.unitsDone(),
                progress.unitsTotal(),
                mismatches.sum(),
                progress.secondsLeft());
    }

    /** Counts mismatches that were believed and not made good; less than none of a range that starts anew. */
    void addMismatches(long believed) {
        mismatches.add(believed);
    }

    long mismatches() {
        return mismatches.sum();
    }

    @Override
    public void close() throws IOException {
        try {
            // No heartbeat comes after this.
            job.close();
        } finally {
            forget();
        }
    }

    private void forget() {
        try {
            phase.ifPresent(BulkPhase::forget);
        } catch (PhaseStoreException e) {
            LOG.warn(
                    "run stays among the instances, phase store can't be asked, run={}, reason={}",
                    kind,
                    e.getMessage());
        }
    }
}
