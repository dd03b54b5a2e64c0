package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.util.List;
import java.util.Optional;

/** Tells a phase store that lost its record, or got an older one back, from one in which a migration never began. */
final class LostRecord {
    static final String WAY_OUT = ": restore the phase store, or rebuild the record with 'anneal migrate recover'";

    private LostRecord() {}

    /** What shows in the store that there was a record of that name; empty if nothing does. */
    static Optional<String> traces(PhaseStore store, String name) {
        List<Heartbeat> heartbeats = store.heartbeats(name);
        return heartbeats.isEmpty()
                ? Optional.of(store.notes(name))
                        .filter(notes -> !notes.isEmpty())
                        .map(notes -> "notes=" + notes.size())
                : Optional.of(text(newest(heartbeats)));
    }

    /** What to throw where there is no record. */
    static PhaseStoreException missing(PhaseStore store, String name) {
        return traces(store, name)
                .map(traces ->
                        new PhaseStoreException("phase record is lost" + WAY_OUT + ", name=" + name + ", " + traces))
                .orElseGet(() -> new PhaseStoreException(
                        "there is no phase record of that name, a migration must be created first, name=" + name));
    }

    /**
     * Throws if an instance acts by a later record.
     *
     * @param heartbeats read before the record, so that they can't be ahead of one that is right
     */
    static void requireNotBehind(String name, PhaseRecord found, List<Heartbeat> heartbeats) {
        if (heartbeats.isEmpty()) {
            return;
        }
        Heartbeat newest = newest(heartbeats);
        if (newest.version() > found.version()) {
            throw new PhaseStoreException("phase store is older than what an instance acts by" + WAY_OUT + ", name="
                    + name + ", found=version " + found.version() + " phase "
                    + found.phase().label() + ", " + text(newest));
        }
    }

    private static Heartbeat newest(List<Heartbeat> heartbeats) {
        return heartbeats.stream()
                .reduce((one, other) -> other.version() > one.version() ? other : one)
                .orElseThrow();
    }

    private static String text(Heartbeat heartbeat) {
        return "instance=" + heartbeat.instance() + ", instanceVersion=" + heartbeat.version() + ", instancePhase="
                + heartbeat.facts().getOrDefault(Facts.PHASE, "?");
    }
}
