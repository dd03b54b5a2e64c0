package io.anneal.job;

import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the guard and tells the listener, once a second and at the end. Neither can end or silence the job by failing; only the
 * guard's refusal ends it.
 */
final class JobTicker {
    private static final Logger LOG = LoggerFactory.getLogger(JobTicker.class);
    private static final long END_SECONDS = 10;

    private final String name;
    private final Runnable guard;
    private final JobProgress.Listener listener;
    private final JobMeter meter;
    /** Empty if nobody watches. */
    private final Optional<ScheduledExecutorService> thread;

    private volatile JobRefusedException refused;

    JobTicker(
            String name,
            Runnable guard,
            JobProgress.Listener listener,
            JobMeter meter,
            Optional<ScheduledExecutorService> thread) {
        this.name = name;
        this.guard = guard;
        this.listener = listener;
        this.meter = meter;
        this.thread = thread;
    }

    void start() {
        thread.ifPresent(ticking -> ticking.scheduleWithFixedDelay(this::tick, 0, 1, TimeUnit.SECONDS));
    }

    private void tick() {
        try {
            guard.run();
        } catch (JobRefusedException e) {
            refused = e;
        } catch (RuntimeException | Error e) {
            LOG.warn("guard failed, job={}", name, e);
        }
        try {
            listener.progressed(meter.progress());
        } catch (RuntimeException | Error e) {
            LOG.warn("listener failed, job={}", name, e);
        }
    }

    /** @throws JobRefusedException after the guard refused */
    void requireNotRefused() {
        if (refused != null) {
            throw refused;
        }
    }

    /** The last word to the listener. */
    void finish() {
        if (thread.isPresent() && end()) {
            tick();
        }
    }

    /** Nobody calls the listener after this, unless it hangs in a call: then the answer is false. */
    boolean end() {
        return thread.isEmpty() || JobWorkers.end(thread.get(), END_SECONDS, "listener or guard takes long", name);
    }
}
