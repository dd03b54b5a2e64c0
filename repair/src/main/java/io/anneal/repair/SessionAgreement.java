package io.anneal.repair;

import io.anneal.node.Receiving;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.Waiver;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What follows from what the replicas said when they opened: the session's terms, a refusal, or notes for the operator.
 *
 * <p>A deletion may be purged once it is older than gc_grace. Data that dates from before may hold rows whose deletion no
 * replica has any more: they would count as lacking elsewhere, and come back. The same happens to what is imported so late.
 *
 * @param repairsAll whether all replicas of the range hold each deletion of it when the session has ended well
 * @param notes a sentence each
 */
record SessionAgreement(SessionTerms terms, boolean repairsAll, List<String> notes) {
    /** Snapshots that are further apart than this, or than a tenth of gc_grace, are worth a note. */
    private static final long APART_SECONDS = 3_600;

    private static final String LAST_OF_NB = "2038-01-19";

    SessionAgreement {
        notes = List.copyOf(notes);
    }

    /** @throws RepairException when two have tables of different ids, what a replica holds is too old, or the table has no gc_grace, and nobody waived that */
    static SessionAgreement of(RepairConfig config, TableSchema schema, List<SessionOpened> opened)
            throws RepairException {
        refuseOtherTables(schema, opened);
        List<String> notes = new ArrayList<>();
        for (SessionOpened replica : opened) {
            replica.notes().forEach(note -> notes.add(note + ", replica=" + replica.name()));
        }
        long ceiling = ceiling(opened, notes);
        int bufferBytes =
                opened.stream().mapToInt(SessionOpened::bufferBytes).min().orElseThrow();
        if (bufferBytes < 1) {
            throw new RepairException("replica has no row buffer, bufferBytes=" + bufferBytes);
        }
        SessionTerms terms = new SessionTerms(ceiling, bufferBytes, deadline(config, schema, opened, notes));
        return new SessionAgreement(terms, repairsAll(config, opened, notes), notes);
    }

    /** Rows of a table that was dropped do not come back in the one that was made after it. */
    private static void refuseOtherTables(TableSchema schema, List<SessionOpened> opened) throws RepairException {
        Optional<SessionOpened> first = Optional.empty();
        for (SessionOpened replica : opened) {
            if (replica.tableId().isEmpty()) {
                continue;
            }
            if (first.isPresent() && !replica.tableId().equals(first.get().tableId())) {
                throw new RepairException(
                        "table ids differ: it was dropped and made again, or these are not replicas of one"
                                + " cluster; one schema text for all Cassandra replicas overrides this, and a store's"
                                + " table is created WITH id = ..., table=" + schema.qualifiedName()
                                + ", replica=" + first.get().name()
                                + ", id=" + first.get().tableId().orElseThrow()
                                + ", other=" + replica.name()
                                + ", other-id=" + replica.tableId().get());
            }
            first = Optional.of(replica);
        }
    }

    /**
     * What a replica stages may never be imported. One that stages nothing, since it lacks nothing, is no exception: what it holds
     * is a snapshot, and not what its node holds now.
     */
    private static boolean repairsAll(RepairConfig config, List<SessionOpened> opened, List<String> notes) {
        if (config.dryRun() || !config.allReplicas()) {
            return false;
        }
        List<String> staging = opened.stream()
                .filter(replica -> !replica.takesInAtOnce())
                .map(SessionOpened::name)
                .toList();
        if (!staging.isEmpty() && staging.size() < opened.size()) {
            notes.add(
                    "stores do not count the range as repaired, since what others receive waits for its import, replicas="
                            + staging);
        }
        return staging.isEmpty();
    }

    /** The lowest, so that all replicas hash what each of them can hold. */
    private static long ceiling(List<SessionOpened> opened, List<String> notes) {
        long lowest = opened.stream()
                .mapToLong(SessionOpened::localDeletionTimeMaxSeconds)
                .min()
                .orElseThrow();
        List<String> cutting = opened.stream()
                .filter(replica -> replica.localDeletionTimeMaxSeconds() == lowest)
                .map(SessionOpened::name)
                .toList();
        if (cutting.size() < opened.size()) {
            notes.add("replicas write different formats: times after " + LAST_OF_NB
                    + " are cut to what the oldest of them" + " holds, replicas=" + cutting);
        }
        return lowest;
    }

    private static long deadline(
            RepairConfig config, TableSchema schema, List<SessionOpened> opened, List<String> notes)
            throws RepairException {
        long gcGraceSeconds = schema.options().gcGraceSeconds();
        if (gcGraceSeconds == TableOptions.GC_GRACE_UNKNOWN) {
            return Receiving.NO_DEADLINE;
        }
        if (gcGraceSeconds == 0) {
            refuseNoGcGrace(config);
            return Receiving.NO_DEADLINE;
        }
        List<Dated> dated =
                opened.stream().map(replica -> dated(replica, config, notes)).toList();
        Dated oldest =
                dated.stream().min(Comparator.comparingLong(Dated::seconds)).orElseThrow();
        Dated newest =
                dated.stream().max(Comparator.comparingLong(Dated::seconds)).orElseThrow();
        long ageSeconds = config.purgeTimeSeconds() - oldest.seconds();
        // No two replicas can be further apart than the oldest is old.
        if (ageSeconds > gcGraceSeconds) {
            String facts =
                    "replica=" + oldest.name() + ", ageSeconds=" + ageSeconds + ", gcGraceSeconds=" + gcGraceSeconds;
            if (!config.waivers().contains(Waiver.OLD_DATA)) {
                throw new RepairException(
                        "replica's data is older than gc_grace, rows that were deleted since would come"
                                + " back: take new snapshots, or empty the table of a store that was closed for so long, "
                                + facts,
                        Optional.of(Waiver.OLD_DATA));
            }
            notes.add("replica's data is older than gc_grace, rows that were deleted since may come back, " + facts);
            return Receiving.NO_DEADLINE;
        }
        long apartSeconds = newest.seconds() - oldest.seconds();
        if (apartSeconds > Math.min(APART_SECONDS, gcGraceSeconds / 10)) {
            notes.add("replicas date from different times, what was written in between counts as lacking, oldest="
                    + oldest.name() + ", newest=" + newest.name() + ", secondsApart=" + apartSeconds);
        }
        return oldest.seconds() + gcGraceSeconds;
    }

    private static void refuseNoGcGrace(RepairConfig config) throws RepairException {
        if (!config.waivers().contains(Waiver.NO_GC_GRACE)) {
            throw new RepairException(
                    "table has a gc_grace of 0, so that a deletion may be gone at any moment and what it"
                            + " deleted come back, table=" + config.keyspace() + "." + config.table(),
                    Optional.of(Waiver.NO_GC_GRACE));
        }
    }

    /** The moment that a replica's data dates from; what says no moment is read as it is now. */
    private record Dated(String name, long seconds) {}

    private static Dated dated(SessionOpened replica, RepairConfig config, List<String> notes) {
        long now = config.purgeTimeSeconds();
        long seconds = replica.asOf().map(Instant::getEpochSecond).orElse(now);
        if (seconds > now) {
            notes.add("replica's data dates from the future and counts as of now: are the clocks right, replica="
                    + replica.name() + ", secondsAhead=" + (seconds - now));
        }
        return new Dated(replica.name(), Math.min(now, seconds));
    }
}
