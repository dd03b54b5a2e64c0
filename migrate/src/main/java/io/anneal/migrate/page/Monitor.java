package io.anneal.migrate.page;

import io.anneal.dualdao.phase.PhaseStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the phase store again and again, and keeps what it saw last for all who read: one look serves every open page. The
 * scheduler's thread looks; any thread may read and wait.
 */
final class Monitor {
    /** What a reader gets: everything of now, and the points since those that it has. */
    record Update(long number, Snapshot snapshot, List<List<Point>> points, List<Long> next) {}

    private static final Logger LOG = LoggerFactory.getLogger(Monitor.class);

    private final PhaseStore store;
    private final String name;
    private final SnapshotBuilder builder;
    private final InstantSource clock;
    private final ChartFeed feed = new ChartFeed();
    private final Object looking = new Object();

    private Snapshot snapshot;
    private long number;
    private boolean closed;

    Monitor(PhaseStore store, String name, SnapshotBuilder builder, InstantSource clock) {
        this.store = store;
        this.name = name;
        this.builder = builder;
        this.clock = clock;
        long now = clock.millis();
        this.snapshot = builder.empty(now, new Snapshot.Store("unasked", now, null));
    }

    /** Takes the heartbeats alone, between two looks. */
    void observe() {
        try {
            feedIn(clock.millis());
        } catch (RuntimeException e) {
            // The next look says it.
            LOG.debug("Heartbeats could not be read, name={}", name, e);
        }
    }

    private void feedIn(long nowMillis) {
        var heartbeats = store.heartbeats(name);
        synchronized (this) {
            feed.observe(heartbeats, nowMillis);
        }
    }

    /** Takes all, and hands it to those who wait. One look at a time: what was seen earlier never replaces what was seen later. */
    void look() {
        synchronized (looking) {
            lookNow();
        }
    }

    private void lookNow() {
        long now = clock.millis();
        Snapshot next;
        try {
            feedIn(now);
            Optional<Snapshot> built = builder.build(now, state("ok", now, null));
            next = built.orElseGet(() -> withoutRecord(now));
        } catch (RuntimeException e) {
            // Whatever a store of somebody else's throws: the page says so and looks again, instead of ending its
            // schedule.
            Snapshot.Store state = state("unreachable", now, String.valueOf(e.getMessage()));
            if (state.since() == now) {
                LOG.warn("The phase store could not be asked, name={}", name, e);
            }
            next = SnapshotBuilder.stale(last(), now, state);
        }
        synchronized (this) {
            feed.tick(now);
            snapshot = next;
            number++;
            notifyAll();
        }
    }

    private Snapshot withoutRecord(long now) {
        Snapshot last = last();
        boolean known = last.record() != null
                || !store.heartbeats(name).isEmpty()
                || !store.notes(name).isEmpty();
        return known
                ? SnapshotBuilder.stale(last, now, state("lost", now, null))
                : builder.empty(now, state("absent", now, null));
    }

    private Snapshot.Store state(String state, long nowMillis, String message) {
        Snapshot.Store last = last().store();
        return new Snapshot.Store(state, last.state().equals(state) ? last.since() : nowMillis, message);
    }

    synchronized Snapshot last() {
        return snapshot;
    }

    /** All of now, with the points of each tier from those numbers on; from the start where there is no number. */
    synchronized Update update(List<Long> from) {
        List<List<Point>> points = new ArrayList<>();
        List<Long> next = new ArrayList<>();
        for (PointRing ring : feed.rings()) {
            points.add(ring.from(next.size() < from.size() ? from.get(next.size()) : 0));
            next.add(ring.nextNumber());
        }
        return new Update(number, snapshot, points, next);
    }

    /**
     * Waits for a look after that one.
     *
     * @return false once this is closed
     */
    synchronized boolean awaitAfter(long lastNumber) throws InterruptedException {
        while (!closed && number <= lastNumber) {
            wait();
        }
        return !closed;
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
