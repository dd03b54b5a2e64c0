package io.anneal.repair;

import io.anneal.node.ClockSkew;
import io.anneal.node.DataAge;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaFacts;
import io.anneal.node.Truncations;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionTerms;
import io.anneal.schema.TableSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What follows from what the replicas said when they opened: the session's terms, a refusal, or notes for the operator.
 *
 * @param repairsAll whether all replicas of the range hold each deletion of it when the session has ended well
 * @param notes a sentence each
 * @param coveredUntilSeconds what was written before this second, since 1970, all replicas would have had by now
 */
record SessionAgreement(SessionTerms terms, boolean repairsAll, List<String> notes, long coveredUntilSeconds) {
    private static final long MICROS = TimeUnit.SECONDS.toMicros(1);
    private static final String LAST_OF_NB = "2038-01-19";

    SessionAgreement {
        notes = List.copyOf(notes);
    }

    /**
     * @param skews of the replicas whose clocks could be compared
     * @throws RepairException when two have tables of different ids; or what a replica holds is too old, the table has no gc_grace, a
     *     clock is far off, or a truncation did not reach all, and nobody waived that
     */
    static SessionAgreement of(
            RepairConfig config, TableSchema schema, List<SessionOpened> opened, List<ClockSkew> skews)
            throws RepairException {
        refuseOtherTables(schema, opened);
        List<String> notes = new ArrayList<>();
        for (SessionOpened replica : opened) {
            replica.notes().forEach(note -> notes.add(note + ", replica=" + replica.name()));
        }
        long ceiling = ceiling(opened, notes);
        SessionOpened smallest = opened.stream()
                .min(Comparator.comparingInt(SessionOpened::bufferBytes))
                .orElseThrow();
        int bufferBytes = smallest.bufferBytes();
        if (bufferBytes < 1) {
            throw new RepairException(
                    "replica has no row buffer, replica=" + smallest.name() + ", bufferBytes=" + bufferBytes);
        }
        DataAge age = age(config, schema, opened, skews, notes);
        long coveredUntilSeconds = coveredUntilSeconds(opened, config.purgeTimeSeconds());
        long cutoffMicros = config.recent()
                .map(recent -> cutoffMicros(coveredUntilSeconds, recent))
                .orElse(SessionTerms.NO_CUTOFF);
        SessionTerms terms =
                new SessionTerms(ceiling, bufferBytes, age.importDeadlineSeconds(), cutoffMicros, config.rate());
        return new SessionAgreement(
                terms,
                repairsAll(config, opened, notes),
                notes,
                Math.min(coveredUntilSeconds, Math.floorDiv(cutoffMicros, MICROS)));
    }

    /** What was written later need not be in the data of all. */
    private static long coveredUntilSeconds(List<SessionOpened> opened, long purgeTimeSeconds) {
        return opened.stream()
                .flatMap(replica -> replica.facts().asOf().stream())
                .mapToLong(Instant::getEpochSecond)
                .reduce(purgeTimeSeconds, Math::min);
    }

    /**
     * What was written while the oldest data was taken, or the session began, may be on its way to a replica still: no
     * difference that a repair has to see.
     */
    private static long cutoffMicros(long coveredUntilSeconds, Duration recent) {
        return TimeUnit.SECONDS.toMicros(coveredUntilSeconds) - TimeUnit.NANOSECONDS.toMicros(recent.toNanos());
    }

    /** Rows of a table that was dropped do not come back in the one that was made after it. */
    private static void refuseOtherTables(TableSchema schema, List<SessionOpened> opened) throws RepairException {
        Optional<SessionOpened> first = Optional.empty();
        for (SessionOpened replica : opened) {
            if (replica.facts().tableId().isEmpty()) {
                continue;
            }
            if (first.isPresent()
                    && !replica.facts().tableId().equals(first.get().facts().tableId())) {
                throw new RepairException(
                        "table ids differ: it was dropped and made again, or these are not replicas of one"
                                + " cluster; one schema text for all Cassandra replicas overrides this, and a store's"
                                + " table is created WITH id = ..., table=" + schema.qualifiedName()
                                + ", replica=" + first.get().name()
                                + ", id=" + first.get().facts().tableId().orElseThrow()
                                + ", other=" + replica.name()
                                + ", other-id=" + replica.facts().tableId().get());
            }
            first = Optional.of(replica);
        }
    }

    /**
     * What a replica stages may never be imported. One that stages nothing, since it lacks nothing, is no exception: what it holds
     * is a snapshot, and not what its node holds now.
     */
    private static boolean repairsAll(RepairConfig config, List<SessionOpened> opened, List<String> notes) {
        // A deletion that was left out is not known to all.
        if (config.dryRun() || !config.allReplicas() || config.recent().isPresent()) {
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

    private static DataAge age(
            RepairConfig config,
            TableSchema schema,
            List<SessionOpened> opened,
            List<ClockSkew> skews,
            List<String> notes)
            throws RepairException {
        List<ReplicaFacts> facts = opened.stream().map(SessionOpened::facts).toList();
        try {
            long skewSeconds = ClockSkew.check(skews, config.waivers(), notes);
            DataAge age = DataAge.of(schema, facts, config.purgeTimeSeconds(), skewSeconds, config.waivers());
            notes.addAll(age.notes());
            notes.addAll(Truncations.check(schema, facts, config.waivers()));
            return age;
        } catch (ReplicaException refused) {
            throw new RepairException(refused.getMessage(), refused.waiver());
        }
    }
}
