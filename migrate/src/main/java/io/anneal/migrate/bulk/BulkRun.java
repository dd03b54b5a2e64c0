package io.anneal.migrate.bulk;

import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.RateLimiter;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What back-fill and verification have in common while they run: the checkpoint, the workers, the throttle, and once a second the
 * listener and the heartbeat. Made and closed by one thread; its workers use it.
 */
final class BulkRun implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(BulkRun.class);

    private static final long TICK_END_SECONDS = 10;

    private final BulkBuilder<?> told;
    private final String kind;
    private final Checkpoint checkpoint;
    private final Optional<BulkPhase> phase;
    private final ProgressMeter meter;
    private final RangeWorkers workers;
    private final RateLimiter rows;
    private final RateLimiter bytes;
    private final ScheduledExecutorService ticker;

    private volatile BulkRefusedException stopped;

    private BulkRun(BulkBuilder<?> told, String kind, Checkpoint checkpoint, Optional<BulkPhase> phase) {
        this.told = told;
        this.kind = kind;
        this.checkpoint = checkpoint;
        this.phase = phase;
        HostEnvironment environment = told.environment;
        meter = new ProgressMeter(environment.nanoTime(), checkpoint);
        workers = new RangeWorkers(environment, told.parallel, told.attempts, told.backoff);
        rows = new RateLimiter(told.rowsPerSecond, environment.nanoTime(), environment.sleeper());
        bytes = new RateLimiter(told.bytesPerSecond, environment.nanoTime(), environment.sleeper());
        ticker = environment.threads().single(kind + "-progress");
    }

    static BulkRun open(
            BulkBuilder<?> told,
            String kind,
            Optional<BulkPhase> phase,
            Checkpoint.Identity identity,
            long validSinceMillis,
            Checkpoint.Ranges ranges)
            throws IOException {
        Checkpoint.Start start = phase.map(BulkPhase::start)
                .orElseGet(() -> new Checkpoint.Start(
                        0, told.environment.clock().instant().toEpochMilli(), true));
        Checkpoint checkpoint = Checkpoint.open(told.checkpoint, identity, start, validSinceMillis, ranges);
        BulkRun run = new BulkRun(told, kind, checkpoint, phase);
        run.ticker.scheduleWithFixedDelay(run::tick, 0, 1, TimeUnit.SECONDS);
        return run;
    }

    /** On the ticker's thread, and once more at the end. */
    private void tick() {
        BulkProgress progress = meter.progress();
        try {
            phase.ifPresent(part -> part.beat(progress));
        } catch (PhaseStoreException e) {
            cannotAsk(e);
        }
        look();
        tell(progress);
    }

    /** Whoever listens can neither end the run nor silence it. */
    private void tell(BulkProgress progress) {
        try {
            told.listener.progressed(progress);
        } catch (RuntimeException e) {
            LOG.warn("listener failed, run={}, reason={}", kind, e.toString());
        }
    }

    /** It ends soon after the phase is not one for it any more. */
    private void look() {
        try {
            requirePhase();
        } catch (BulkRefusedException e) {
            stopped = e;
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

    /** Works all open ranges off. */
    void forEachRange(RangeWorkers.Task task) throws IOException, InterruptedException {
        forEach(checkpoint.open(), task);
    }

    void forEach(List<BulkRange> ranges, RangeWorkers.Task task) throws IOException, InterruptedException {
        workers.run(kind, ranges, range -> {
            look();
            task.run(range);
        });
    }

    /**
     * Before each entry that is read, read again or made good: waits as the rates say.
     *
     * @throws BulkRefusedException when the run must not go on
     */
    void pace(long entryBytes) throws InterruptedException {
        if (stopped != null) {
            throw stopped;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("run was interrupted");
        }
        rows.acquire(1);
        bytes.acquire(entryBytes);
    }

    Checkpoint checkpoint() {
        return checkpoint;
    }

    ProgressMeter meter() {
        return meter;
    }

    Optional<BulkPhase> phase() {
        return phase;
    }

    int retries() {
        return workers.retries();
    }

    /** All is done: the last word to the listener. */
    void finished() {
        endTicker();
        tick();
    }

    /** No heartbeat comes after this. */
    private void endTicker() {
        ticker.shutdown();
        try {
            if (!ticker.awaitTermination(TICK_END_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("listener or phase store takes long, run={}, waitedSeconds={}", kind, TICK_END_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        endTicker();
        try (checkpoint) {
            phase.ifPresent(BulkPhase::forget);
        } catch (PhaseStoreException e) {
            LOG.warn(
                    "run stays among the instances, phase store can't be asked, run={}, reason={}",
                    kind,
                    e.getMessage());
        }
    }
}
