package io.anneal.migrate.page;

import io.anneal.dualdao.control.PhaseControl;
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
    private final Incidents incidents;
    private final ChartFeed feed;
    private final History history;
    private final boolean redactValues;
    private final Object looking = new Object();

    private Snapshot snapshot;
    private long number;
    private boolean closed;

    Monitor(
            PhaseStore store,
            String name,
            PhaseControl control,
            boolean redactValues,
            History history,
            InstantSource clock) {
        this.store = store;
        this.name = name;
        this.redactValues = redactValues;
        this.history = history;
        this.clock = clock;
        incidents = new Incidents(history);
        feed = new ChartFeed(history, incidents);
        builder = new SnapshotBuilder(store, name, control, redactValues, feed, incidents);
        snapshot =
                snapshot(new Snapshot.Store("unasked", clock.millis(), null), Snapshot.Known.NOTHING, clock.millis());
    }

    private Snapshot snapshot(Snapshot.Store state, Snapshot.Known known, long nowMillis) {
        return new Snapshot(name, nowMillis, state, redactValues, history.lasts(), known);
    }

    /** Takes the heartbeats alone, between two looks. */
    void observe() {
        synchronized (looking) {
            try {
                feed.observe(store.heartbeats(name), clock.millis());
            } catch (RuntimeException e) {
                // The next look says it.
                LOG.debug("Heartbeats could not be read, name={}", name, e);
            }
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
        Snapshot.Known known = last().known();
        Snapshot.Store state;
        try {
            feed.observe(store.heartbeats(name), now);
            Optional<Snapshot.Known> built = builder.build(now);
            boolean lost = built.isEmpty() && wasKnown();
            known = built.orElse(lost ? known : Snapshot.Known.NOTHING);
            state = state(built.isPresent() ? "ok" : lost ? "lost" : "absent", now, null);
        } catch (RuntimeException e) {
            // Whatever a store of somebody else's throws: the page says so and looks again, instead of ending its
            // schedule.
            state = state("unreachable", now, String.valueOf(e.getMessage()));
            if (state.since() == now) {
                LOG.warn("The phase store could not be asked, name={}", name, e);
            }
        }
        if (state.state().equals("unreachable") || state.state().equals("lost")) {
            incidents.goesOn(Incidents.STORE, state.state(), state.since(), state.message());
        }
        synchronized (this) {
            feed.tick(now);
            snapshot = snapshot(state, known, now);
            number++;
            notifyAll();
        }
    }

    private boolean wasKnown() {
        return last().known().record() != null
                || !store.heartbeats(name).isEmpty()
                || !store.notes(name).isEmpty();
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
        for (Ring<Point> ring : feed.rings()) {
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

    /** Nobody looks any more; what was seen since the last point is kept, too. */
    void close() {
        synchronized (looking) {
            synchronized (this) {
                closed = true;
                feed.end(clock.millis());
                notifyAll();
            }
            history.close();
        }
    }
}
