package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.Receiving;
import io.anneal.repair.message.SessionTerms;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * How a repair went.
 *
 * @param sessionIds by which what was staged is known; one for each range of each table
 * @param reconciliation how was learned in what windows differed
 * @param rowsDiffering places at which replicas held different rows
 * @param deletionsDiffering partition deletions and intervals that not every replica held
 * @param itemsFetched rows and deletions that the master received
 * @param itemsPushed rows and deletions sent to followers, each as often as it was sent
 * @param itemBytes encoded size of what was fetched and pushed
 * @param networkBytes bytes of all messages between the master and replicas behind connections; 0 inside one process
 * @param importDeadlineSeconds the earliest of the replicas' deadlines and of what this run wrote or would write, or {@link
 *     Receiving#NO_DEADLINE}
 * @param notes what the operator should know, a sentence each
 */
public record RepairReport(
        List<UUID> sessionIds,
        List<ReplicaReport> replicas,
        long windows,
        long windowsDiffering,
        Reconciliation reconciliation,
        long rowsDiffering,
        long deletionsDiffering,
        long itemsFetched,
        long itemsPushed,
        long itemBytes,
        long networkBytes,
        boolean dryRun,
        long importDeadlineSeconds,
        List<String> notes) {
    public RepairReport {
        SessionTerms.requireDeadline(importDeadlineSeconds);
        sessionIds = List.copyOf(sessionIds);
        replicas = List.copyOf(replicas);
        notes = List.copyOf(notes);
    }

    /** All of them together, replicas of one name as one. */
    public static RepairReport sum(List<RepairReport> reports, boolean dryRun) {
        Map<String, ReplicaReport> replicas = new LinkedHashMap<>();
        reports.stream()
                .flatMap(report -> report.replicas.stream())
                .forEach(replica -> replicas.merge(replica.name, replica, ReplicaReport::plus));
        return new RepairReport(
                reports.stream().flatMap(report -> report.sessionIds.stream()).toList(),
                List.copyOf(replicas.values()),
                sum(reports, RepairReport::windows),
                sum(reports, RepairReport::windowsDiffering),
                reports.stream().map(RepairReport::reconciliation).reduce(Reconciliation.NONE, Reconciliation::plus),
                sum(reports, RepairReport::rowsDiffering),
                sum(reports, RepairReport::deletionsDiffering),
                sum(reports, RepairReport::itemsFetched),
                sum(reports, RepairReport::itemsPushed),
                sum(reports, RepairReport::itemBytes),
                sum(reports, RepairReport::networkBytes),
                dryRun,
                reports.stream()
                        .mapToLong(RepairReport::importDeadlineSeconds)
                        .min()
                        .orElse(Receiving.NO_DEADLINE),
                reports.stream()
                        .flatMap(report -> report.notes.stream())
                        .distinct()
                        .toList());
    }

    private static long sum(List<RepairReport> reports, ToLongFunction<RepairReport> number) {
        return reports.stream().mapToLong(number).sum();
    }

    /** How many places and deletions differed. */
    long differing() {
        return rowsDiffering + deletionsDiffering;
    }

    /**
     * This one after an attempt that was lost. What still differed is among what differed then, so that the larger number has all;
     * what the replicas kept of that attempt is not known.
     */
    RepairReport after(RepairReport lost) {
        return new RepairReport(
                sessionIds,
                replicas,
                windows + lost.windows,
                windowsDiffering + lost.windowsDiffering,
                reconciliation.plus(lost.reconciliation),
                Math.max(rowsDiffering, lost.rowsDiffering),
                Math.max(deletionsDiffering, lost.deletionsDiffering),
                itemsFetched + lost.itemsFetched,
                itemsPushed + lost.itemsPushed,
                itemBytes + lost.itemBytes,
                networkBytes + lost.networkBytes,
                dryRun,
                Math.min(importDeadlineSeconds, lost.importDeadlineSeconds),
                notes);
    }

    RepairReport withNote(String note) {
        return new RepairReport(
                sessionIds,
                replicas,
                windows,
                windowsDiffering,
                reconciliation,
                rowsDiffering,
                deletionsDiffering,
                itemsFetched,
                itemsPushed,
                itemBytes,
                networkBytes,
                dryRun,
                importDeadlineSeconds,
                Stream.concat(notes.stream(), Stream.of(note)).toList());
    }

    /** Whether the replicas were equal before, in the ranges of this report. */
    public boolean wereEqual() {
        return differing() == 0;
    }

    /** The moment after which something of what was written must not be imported any more; empty when there is none. */
    public Optional<Instant> importDeadline() {
        return deadline(importDeadlineSeconds);
    }

    private static Optional<Instant> deadline(long seconds) {
        return seconds == Receiving.NO_DEADLINE ? Optional.empty() : Optional.of(Instant.ofEpochSecond(seconds));
    }

    void encode(ByteWriter out) {
        out.writeUnsignedVInt(sessionIds.size());
        sessionIds.forEach(id -> Texts.write(out, id));
        out.writeUnsignedVInt(replicas.size());
        for (ReplicaReport replica : replicas) {
            Texts.write(out, replica.name);
            out.writeLong(replica.rowsRead);
            out.writeLong(replica.bytesRead);
            out.writeLong(replica.rowsWritten);
            out.writeLong(replica.deletionsWritten);
            out.writeLong(replica.importDeadlineSeconds);
            Texts.write(out, replica.sstables);
        }
        out.writeLong(windows);
        out.writeLong(windowsDiffering);
        reconciliation.encode(out);
        for (long number :
                new long[] {rowsDiffering, deletionsDiffering, itemsFetched, itemsPushed, itemBytes, networkBytes}) {
            out.writeLong(number);
        }
        out.writeByte(dryRun ? 1 : 0);
        out.writeLong(importDeadlineSeconds);
        Texts.write(out, notes);
    }

    static RepairReport decode(ByteReader in) {
        List<UUID> sessionIds = new ArrayList<>();
        int sessions = in.readUnsignedVInt32();
        for (int i = 0; i < sessions; i++) {
            sessionIds.add(Texts.readId(in));
        }
        List<ReplicaReport> replicas = new ArrayList<>();
        int count = in.readUnsignedVInt32();
        for (int i = 0; i < count; i++) {
            replicas.add(new ReplicaReport(
                    Texts.read(in),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    Texts.readList(in)));
        }
        return new RepairReport(
                sessionIds,
                replicas,
                in.readLong(),
                in.readLong(),
                Reconciliation.decode(in),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readByte() != 0,
                in.readLong(),
                Texts.readList(in));
    }

    /**
     * One replica's part.
     *
     * @param rowsWritten rows that it lacked and now holds; with a dry run, which moves no rows, places where another has a
     *     row or a version that it has not, of which it may lack a part
     * @param deletionsWritten partition and range deletions that it lacked
     * @param importDeadlineSeconds when all that waits for import where it writes must be imported at the latest, from earlier
     *     runs too, or {@link Receiving#NO_DEADLINE}
     */
    public record ReplicaReport(
            String name,
            long rowsRead,
            long bytesRead,
            long rowsWritten,
            long deletionsWritten,
            long importDeadlineSeconds,
            List<String> sstables) {
        public ReplicaReport {
            SessionTerms.requireDeadline(importDeadlineSeconds);
            sstables = List.copyOf(sstables);
        }

        private ReplicaReport plus(ReplicaReport other) {
            return new ReplicaReport(
                    name,
                    rowsRead + other.rowsRead,
                    bytesRead + other.bytesRead,
                    rowsWritten + other.rowsWritten,
                    deletionsWritten + other.deletionsWritten,
                    Math.min(importDeadlineSeconds, other.importDeadlineSeconds),
                    Stream.concat(sstables.stream(), other.sstables.stream()).toList());
        }

        /** The moment after which its directory must not be imported any more; empty when there is none. */
        public Optional<Instant> importDeadline() {
            return deadline(importDeadlineSeconds);
        }
    }
}
