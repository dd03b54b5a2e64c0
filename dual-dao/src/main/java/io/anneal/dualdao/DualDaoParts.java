package io.anneal.dualdao;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.control.Agreement;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.PhaseFollower;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.journal.FileKeyJournal;
import io.anneal.dualdao.journal.JournalException;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.journal.MemoryKeyJournal;
import io.anneal.dualdao.phase.BoundedMark;
import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.route.DualEngine;
import io.anneal.dualdao.route.Preflight;
import io.anneal.dualdao.stats.DualStats;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a dual DAO is put together from, and ends with it: the journal, the follower of the phase, the engine. */
record DualDaoParts<D>(
        KeyJournal journal, DualStats stats, PhaseFollower follower, DualEngine<D> engine, PhaseControl control) {
    private static final Logger LOG = LoggerFactory.getLogger(DualDaoParts.class);
    private static final long DRAIN_POLL_MILLIS = 2;
    private static final long TAKE_OFF_MILLIS_MIN = 1_000;
    private static final Duration MARK_AT_MOST = Duration.ofSeconds(5);

    static <D> DualDaoParts<D> open(DualDaoBuilder<D> builder, DualConfig<D> config) {
        List<PhaseMark> marks = new ArrayList<>();
        if (builder.directory != null) {
            marks.add(new FilePhaseMark(builder.directory));
        }
        PhaseMark ofTarget = builder.targetMark();
        if (ofTarget != null) {
            marks.add(new BoundedMark(ofTarget, MARK_AT_MOST));
        } else if (config.mode() == Mode.MIGRATION && builder.phases.persistent()) {
            LOG.warn(
                    "the target keeps no mark of the phase: a new instance can't tell a phase store that was restored from an"
                            + " older backup; say .targetMark(...), or let the target implement PhaseMark, name={}",
                    config.name());
        }
        DualEnvironment environment = config.environment();
        DualStats stats =
                new DualStats(config.metrics(), config.timingSample(), environment.clock(), builder.redactValues);
        PhaseControl control = PhaseControl.of(
                builder.phases,
                config.name(),
                environment.clock(),
                new ControlPolicy(builder.quietWindow, ControlPolicy.DEFAULTS.silence(), builder.verifiedWithin));

        KeyJournal journal = builder.journal != null ? builder.journal : journal(builder, config);
        DirtyKeys dirty = new DirtyKeys(journal);
        Preflight preflight = new Preflight(config.keyCodec());
        PhaseFollower follower = new PhaseFollower(
                builder.phases,
                config.name(),
                config.instance(),
                marks,
                new InstanceFacts(config, !builder.keys.isEmpty(), builder.poll, stats, dirty, preflight),
                environment.clock(),
                environment.sleeper());
        return new DualDaoParts<>(
                journal,
                stats,
                follower,
                new DualEngine<>(
                        config, follower, dirty, stats, preflight, () -> Agreement.ask(control, environment.clock())),
                control);
    }

    private static KeyJournal journal(DualDaoBuilder<?> builder, DualConfig<?> config) {
        if (builder.directory == null) {
            return new MemoryKeyJournal();
        }
        KeyJournal file = FileKeyJournal.open(
                builder.directory.resolve(
                        URLEncoder.encode(config.name() + "-" + config.type().getSimpleName(), StandardCharsets.UTF_8)),
                builder.durability(),
                DualEnvironment::newJournalId);
        // In test mode callers would wait for the disk just when the target hangs.
        return config.mode() == Mode.TEST ? new MemoryKeyJournal(file) : file;
    }

    /**
     * Ends them in the order in which they need each other.
     *
     * @param atMost to wait for what is under way, and again for the phase store
     * @param failure that led here, to which what fails now is added; null if there is none
     */
    void close(Duration atMost, Throwable failure) {
        follower.stop();
        boolean interrupted = awaitDrained(atMost);
        engine.close(atMost);
        interrupted |= takeOff(atMost);
        try {
            if (follower.drained()) {
                journal.close();
            } else {
                // Whoever opened it would take this run for gone.
                LOG.error("operations are still under way, the journal stays locked until this process ends");
            }
        } catch (JournalException e) {
            if (failure == null) {
                throw e;
            }
            failure.addSuppressed(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** On a thread of its own, since a phase store may hang. Whether this one was interrupted, which ends the waiting. */
    private boolean takeOff(Duration atMost) {
        Thread leaving = new Thread(follower::close, "anneal-dual-close");
        leaving.setDaemon(true);
        boolean interrupted = Thread.interrupted();
        leaving.start();
        try {
            leaving.join(Math.max(atMost.toMillis(), TAKE_OFF_MILLIS_MIN));
        } catch (InterruptedException hurry) {
            interrupted = true;
        }
        if (leaving.isAlive()) {
            LOG.error("phase store does not answer, the instance stays registered until it does");
        }
        return interrupted;
    }

    /** Whether it was interrupted, which ends the waiting. */
    private boolean awaitDrained(Duration atMost) {
        long tries = atMost.toMillis() / DRAIN_POLL_MILLIS;
        try {
            for (long i = 0; i < tries && !follower.drained(); i++) {
                Thread.sleep(DRAIN_POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            return true;
        }
        if (tries > 0 && !follower.drained()) {
            LOG.warn("operations are still under way, timeout={}", atMost);
        }
        return false;
    }
}
