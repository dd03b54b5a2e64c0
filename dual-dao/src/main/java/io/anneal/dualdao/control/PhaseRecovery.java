package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Rebuilds the record of a migration whose phase store lost it, or got an older one back, from what instances say in
 * heartbeats and from marks: those beside instances and the one in the target.
 *
 * <p>The newest of all is where the migration goes on, one version later, and never before it: no instance got further than one step
 * from what is remembered there, and neighbours fit together. Versions of which nothing is known are filled in such a way that no
 * gate takes them for evidence: what opens the next phase has to be done anew. In phase 3 all reads go to the origin, until
 * somebody sets a share.
 *
 * <p>Give the marks of all instances and the target's, if it can be read: what is not given is not known. One thread.
 */
public final class PhaseRecovery {
    private final PhaseStore store;
    private final String name;
    private final InstantSource clock;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * Something that remembers a record.
     *
     * @param place in words: a mark, an instance, the store
     */
    public record Finding(String place, PhaseMark.Seen seen) {
        @Override
        public String toString() {
            return place + ": version " + seen.version() + ", phase "
                    + seen.phase().label() + ", furthest phase "
                    + seen.highest().label();
        }
    }

    private PhaseRecovery(PhaseStore store, String name, InstantSource clock) {
        this.store = store;
        this.name = name;
        this.clock = clock;
    }

    /**
     * Looks at all that may remember; changes nothing.
     *
     * @throws PhaseStoreException if the store or a mark can't be read
     */
    public static PhaseRecovery look(PhaseStore store, String name, List<PhaseMark> marks, InstantSource clock) {
        PhaseRecovery recovery = new PhaseRecovery(store, name, clock);
        for (PhaseMark mark : marks) {
            mark.read(name).ifPresent(seen -> recovery.findings.add(new Finding("mark " + mark, seen)));
        }
        for (Heartbeat heartbeat : store.heartbeats(name)) {
            String phase = heartbeat.facts().get(Facts.PHASE);
            String highest = heartbeat.facts().get(Facts.HIGHEST_PHASE);
            if (phase != null && highest != null) {
                PhaseMark.Seen seen = new PhaseMark.Seen(heartbeat.version(), Phase.of(phase), Phase.of(highest));
                recovery.findings.add(new Finding("instance " + heartbeat.instance(), seen));
            }
        }
        recovery.findings.sort(
                Comparator.comparingLong(finding -> finding.seen().version()));
        return recovery;
    }

    /** All that remembers the migration, the newest last. */
    public List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** What {@link #run} would put in force; empty if nothing remembers the migration, or the store is not behind. */
    public Optional<PhaseRecord> planned(String who, String why) {
        List<PhaseRecord> missing = missing(who, why);
        return missing.isEmpty() ? Optional.empty() : Optional.of(missing.get(missing.size() - 1));
    }

    /**
     * Writes what is missing. May be run again if it was broken off.
     *
     * @throws PhaseStoreException if what remembers the migration contradicts itself or the store
     * @throws IllegalStateException if nothing is to be recovered
     */
    public PhaseRecord run(String who, String why) {
        List<PhaseRecord> missing = missing(who, why);
        if (missing.isEmpty()) {
            throw new IllegalStateException("nothing is to be recovered, name=" + name + ", found=" + findings);
        }
        for (PhaseRecord next : missing) {
            if (next.version() == 1) {
                store.create(name, next);
            } else if (!store.compareAndSet(name, next.version() - 1, next)) {
                throw new PhaseChangedException(name, next.version() - 1);
            }
        }
        if (heartbeatsSayTest()) {
            store.addNote(
                    name,
                    new PhaseNote(
                            clock.instant(),
                            missing.get(missing.size() - 1).version(),
                            who,
                            PhaseNote.Kind.TEXT,
                            TestWalk.facts("recovered")));
        }
        return missing.get(missing.size() - 1);
    }

    private boolean heartbeatsSayTest() {
        return store.heartbeats(name).stream()
                .anyMatch(heartbeat -> TestWalk.MODE.equals(heartbeat.facts().get(Facts.MODE)));
    }

    /** The records from the store's newest on; none if it is not behind. */
    private List<PhaseRecord> missing(String who, String why) {
        List<PhaseRecord> stored = store.history(name);
        SortedMap<Long, Finding> known = known(stored);
        long has = stored.isEmpty() ? 0 : stored.get(stored.size() - 1).version();
        if (known.isEmpty()) {
            return List.of();
        }
        PhaseMark.Seen newest = known.get(known.lastKey()).seen();
        boolean brokenOff =
                has == newest.version() && stored.get(stored.size() - 1).who().equals(PhaseRecord.RECOVERED);
        if (has >= newest.version() && !brokenOff) {
            return List.of();
        }
        Instant now = clock.instant();
        List<PhaseRecord> missing = new ArrayList<>();
        for (long version = has + 1; version <= newest.version(); version++) {
            Finding finding = known.get(version);
            missing.add(
                    finding == null
                            ? unknown(version, known.firstKey(), newest, now)
                            : recovered(finding.seen(), PhaseRecord.RECOVERED, now, finding.place()));
        }
        PhaseMark.Seen next = new PhaseMark.Seen(newest.version() + 1, newest.phase(), newest.highest());
        missing.add(recovered(next, who, now, why));
        return missing;
    }

    private SortedMap<Long, Finding> known(List<PhaseRecord> stored) {
        SortedMap<Long, Finding> known = new TreeMap<>();
        for (Finding finding : findings) {
            long version = finding.seen().version();
            Finding other = known.putIfAbsent(version, finding);
            if (other != null && !other.seen().equals(finding.seen())) {
                throw contradiction(finding.toString(), other.toString());
            }
            if (version <= stored.size() && !stored.get((int) version - 1).mayBe(finding.seen())) {
                throw contradiction(finding.toString(), "the store: " + stored.get((int) version - 1));
            }
        }
        return known;
    }

    private PhaseStoreException contradiction(String one, String other) {
        return new PhaseStoreException(
                "what is remembered is of two histories, leave out the marks of the wrong one, name=" + name + ", one="
                        + one + ", other=" + other);
    }

    private static PhaseRecord recovered(PhaseMark.Seen seen, String who, Instant now, String why) {
        int share = seen.phase() == Phase.READ_TARGET ? 0 : 100;
        return new PhaseRecord(seen.version(), seen.phase(), share, seen.highest(), who, now, why);
    }

    /**
     * Where the target is right now, it was all the time, so that the origin counts for behind. Else the origin alone was written before
     * what is known, after both were: the target is behind.
     */
    private static PhaseRecord unknown(long version, long firstKnown, PhaseMark.Seen newest, Instant now) {
        Phase phase = newest.phase().authority() == Side.TARGET
                ? Phase.WRITE_TARGET
                : version == 1 || version + 1 >= firstKnown ? Phase.ORIGIN_ONLY : Phase.WRITE_BOTH;
        Phase highest = phase.compareTo(newest.highest()) > 0 ? phase : newest.highest();
        return new PhaseRecord(version, phase, 100, highest, PhaseRecord.UNKNOWN, now, "nothing is known of it");
    }
}
