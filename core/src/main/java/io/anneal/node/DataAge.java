package io.anneal.node;

import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * How old the data of replicas is, against their table's gc_grace.
 *
 * <p>A deletion may be purged once it is older than gc_grace. Data that dates from before may hold rows whose deletion no
 * replica has any more: they would count as lacking elsewhere, and come back. The same happens to what is imported so late.
 *
 * @param importDeadlineSeconds when what comes of it must be imported at the latest, or {@link Receiving#NO_DEADLINE}
 * @param notes a sentence each for the operator
 */
public record DataAge(long importDeadlineSeconds, List<String> notes) {
    /** Snapshots that are further apart than this, or than a tenth of gc_grace, are worth a note. */
    private static final long APART_SECONDS = 3_600;

    public DataAge {
        notes = List.copyOf(notes);
    }

    /** @throws ReplicaException when the data of one is too old, or the table has no gc_grace, and that is not waived */
    public static DataAge of(TableSchema schema, List<ReplicaFacts> replicas, long nowSeconds, Set<Waiver> waivers)
            throws ReplicaException {
        return of(schema, replicas, nowSeconds, 0, waivers);
    }

    /**
     * @param skewSeconds by how much their clocks differ: one that is ahead purges earlier
     * @throws ReplicaException when the data of one is too old, or the table has no gc_grace, and that is not waived
     */
    public static DataAge of(
            TableSchema schema, List<ReplicaFacts> replicas, long nowSeconds, long skewSeconds, Set<Waiver> waivers)
            throws ReplicaException {
        List<String> notes = new ArrayList<>();
        return new DataAge(deadline(schema, replicas, nowSeconds, skewSeconds, waivers, notes), notes);
    }

    /**
     * At the end of a session: what came is as old as its source's data was at the start, and deletions since then may be purged
     * by now, by whoever takes it in as well.
     *
     * @throws ReplicaException when it is too late
     */
    public static void requireInTime(TableSchema schema, long importDeadlineSeconds, InstantSource clock)
            throws ReplicaException {
        long seconds = clock.instant().getEpochSecond();
        if (seconds > importDeadlineSeconds) {
            throw new ReplicaException("session took longer than gc_grace, rows that were deleted meanwhile would come"
                    + " back, and nothing was taken: take fewer ranges at a time, or a higher rate, table="
                    + schema.qualifiedName() + ", gcGraceSeconds="
                    + schema.options().gcGraceSeconds() + ", secondsLate=" + (seconds - importDeadlineSeconds));
        }
    }

    private static long deadline(
            TableSchema schema,
            List<ReplicaFacts> replicas,
            long now,
            long skewSeconds,
            Set<Waiver> waivers,
            List<String> notes)
            throws ReplicaException {
        long gcGraceSeconds = schema.options().gcGraceSeconds();
        if (gcGraceSeconds == TableOptions.GC_GRACE_UNKNOWN) {
            return Receiving.NO_DEADLINE;
        }
        if (gcGraceSeconds == 0) {
            refuseNoGcGrace(schema, waivers);
            return Receiving.NO_DEADLINE;
        }
        List<Dated> dated =
                replicas.stream().map(replica -> dated(replica, now, notes)).toList();
        Dated oldest =
                dated.stream().min(Comparator.comparingLong(Dated::seconds)).orElseThrow();
        Dated newest =
                dated.stream().max(Comparator.comparingLong(Dated::seconds)).orElseThrow();
        long ageSeconds = now - oldest.seconds() + skewSeconds;
        // No two replicas can be further apart than the oldest is old.
        if (ageSeconds > gcGraceSeconds) {
            String facts =
                    "replica=" + oldest.name() + ", ageSeconds=" + ageSeconds + ", gcGraceSeconds=" + gcGraceSeconds;
            if (!waivers.contains(Waiver.OLD_DATA)) {
                throw new ReplicaException(
                        "replica's data is older than gc_grace, rows that were deleted since would come"
                                + " back: take new snapshots, or empty the table of a store that was closed for so long, "
                                + facts,
                        Waiver.OLD_DATA);
            }
            notes.add("replica's data is older than gc_grace, rows that were deleted since may come back, " + facts);
            return Receiving.NO_DEADLINE;
        }
        long apartSeconds = newest.seconds() - oldest.seconds();
        if (apartSeconds > Math.min(APART_SECONDS, gcGraceSeconds / 10)) {
            notes.add("replicas date from different times, what was written in between counts as lacking, oldest="
                    + oldest.name() + ", newest=" + newest.name() + ", oldestDates="
                    + Instant.ofEpochSecond(oldest.seconds()));
        }
        return oldest.seconds() + gcGraceSeconds - skewSeconds;
    }

    private static void refuseNoGcGrace(TableSchema schema, Set<Waiver> waivers) throws ReplicaException {
        if (!waivers.contains(Waiver.NO_GC_GRACE)) {
            throw new ReplicaException(
                    "table has a gc_grace of 0, so that a deletion may be gone at any moment and what it"
                            + " deleted come back, table=" + schema.qualifiedName(),
                    Waiver.NO_GC_GRACE);
        }
    }

    /** The moment that a replica's data dates from; what says no moment is read as it is now. */
    private record Dated(String name, long seconds) {}

    private static Dated dated(ReplicaFacts replica, long now, List<String> notes) {
        long seconds = replica.asOf().map(Instant::getEpochSecond).orElse(now);
        if (seconds > now) {
            notes.add("replica's data dates from the future and counts as of now: are the clocks right, replica="
                    + replica.name() + ", dates=" + Instant.ofEpochSecond(seconds));
        }
        return new Dated(replica.name(), Math.min(now, seconds));
    }
}
