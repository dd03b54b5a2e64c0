package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.node.Receiving;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.RepairCounts;
import io.anneal.repair.message.SessionTerms;
import io.anneal.schema.TableOptions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * How a repair went.
 *
 * @param sessionIds by which what was staged is known; one for each range of each table
 * @param counts what the masters counted for their sessions; what each replica did itself stands beside its name
 * @param importDeadlineSeconds the earliest of the replicas' deadlines and of what this run wrote or would write, or {@link
 *     Receiving#NO_DEADLINE}
 * @param notes what the operator should know, a sentence each
 * @param coveredUntilSeconds everything written before this second, since 1970, was compared: the earliest start of a session, and
 *     date of a replica's data; 0 where nothing was
 * @param gcGraceSeconds of the table, as the masters know it, the least of several, or {@link TableOptions#GC_GRACE_UNKNOWN}
 * @param cutoffMicros what was written later was not compared, by its write time; of several sessions the earliest; or {@link
 *     SessionTerms#NO_CUTOFF}
 * @param ranges of each range in which rows or deletions were compared what was found; an attempt that was lost is not in it
 */
public record RepairReport(
        List<UUID> sessionIds,
        List<ReplicaReport> replicas,
        RepairCounts counts,
        boolean dryRun,
        long importDeadlineSeconds,
        List<String> notes,
        long coveredUntilSeconds,
        long gcGraceSeconds,
        long cutoffMicros,
        List<RangeReport> ranges) {
    public RepairReport {
        SessionTerms.requireDeadline(importDeadlineSeconds);
        sessionIds = List.copyOf(sessionIds);
        replicas = List.copyOf(replicas);
        notes = List.copyOf(notes);
        ranges = List.copyOf(ranges);
    }

    /** All of them together; parts of one repair, each by those of its members that own what it is of. */
    public static RepairReport sum(List<RepairReport> reports, boolean dryRun) {
        SortedMap<Integer, List<ReplicaReport>> replicas = new TreeMap<>();
        for (RepairReport report : reports) {
            for (ReplicaReport replica : report.replicas) {
                replicas.computeIfAbsent(replica.member, member -> new ArrayList<>())
                        .add(replica);
            }
        }
        return new RepairReport(
                reports.stream().flatMap(report -> report.sessionIds.stream()).toList(),
                replicas.values().stream().map(ReplicaReport::sum).toList(),
                reports.stream().map(RepairReport::counts).reduce(RepairCounts.NONE, RepairCounts::plus),
                dryRun,
                reports.stream()
                        .mapToLong(RepairReport::importDeadlineSeconds)
                        .min()
                        .orElse(Receiving.NO_DEADLINE),
                reports.stream()
                        .flatMap(report -> report.notes.stream())
                        .distinct()
                        .toList(),
                reports.stream()
                        .mapToLong(RepairReport::coveredUntilSeconds)
                        .min()
                        .orElse(0),
                reports.stream().mapToLong(RepairReport::gcGraceSeconds).min().orElse(TableOptions.GC_GRACE_UNKNOWN),
                reports.stream().mapToLong(RepairReport::cutoffMicros).min().orElse(SessionTerms.NO_CUTOFF),
                joined(reports.stream().flatMap(report -> report.ranges.stream())));
    }

    /** Parts of one range of a table are one. */
    private static List<RangeReport> joined(Stream<RangeReport> parts) {
        record Whole(String table, TokenRange range) {}
        Map<Whole, RangeReport> joined = new LinkedHashMap<>();
        parts.forEach(part -> joined.merge(new Whole(part.table(), part.range()), part, RangeReport::plus));
        return List.copyOf(joined.values());
    }

    /** The same by these ranges, of which each of its own is a part. */
    RepairReport within(List<TokenRange> whole) {
        RangeIndex index = new RangeIndex(whole);
        return with(
                replicas,
                notes,
                coveredUntilSeconds,
                joined(ranges.stream()
                        .map(part -> part.of(index.range(index.of(part.range().left() + 1))))));
    }

    /** The same of the same sessions, otherwise told. */
    private RepairReport with(
            List<ReplicaReport> replicas, List<String> notes, long coveredUntilSeconds, List<RangeReport> ranges) {
        return new RepairReport(
                sessionIds,
                replicas,
                counts,
                dryRun,
                importDeadlineSeconds,
                notes,
                coveredUntilSeconds,
                gcGraceSeconds,
                cutoffMicros,
                ranges);
    }

    /** Places at which some replica held a row, and none one that the cut-off leaves out. */
    public long rowsCompared() {
        return ranges.stream().mapToLong(RangeReport::rowsCompared).sum();
    }

    /** Those of {@link #rowsCompared} that were not read, since all replicas know them from an earlier repair, and nothing has changed since. */
    public long rowsKnown() {
        return counts.of(RepairCount.ROWS_KNOWN);
    }

    /** Whether neither rows nor deletions were compared, since the cut-off left out what is there: no difference found says nothing then. */
    public boolean comparedNothing() {
        return rowsCompared() == 0
                && differing() == 0
                && replicas.stream().allMatch(replica -> replica.deletionsRead() == 0)
                && replicas.stream().anyMatch(replica -> replica.rowsRecent() + replica.deletionsRecent() > 0);
    }

    /** Encoded size of the rows and deletions that a replica lacked: see {@link RangeReport.Lacking#bytes}. */
    public long bytesLacking(ReplicaReport replica) {
        return ranges.stream()
                .flatMap(range -> range.replicas().stream())
                .filter(lacking -> lacking.member() == replica.member())
                .mapToLong(RangeReport.Lacking::bytes)
                .sum();
    }

    /** Those ranges in which replicas differed. */
    public List<RangeReport> rangesDiffering() {
        return ranges.stream().filter(range -> !range.wasEqual()).toList();
    }

    public long windows() {
        return counts.of(RepairCount.WINDOWS);
    }

    public long windowsDiffering() {
        return counts.of(RepairCount.WINDOWS_DIFFERING);
    }

    /** Places at which replicas held different rows. */
    public long rowsDiffering() {
        return counts.of(RepairCount.ROWS_DIFFERING);
    }

    /** Partition deletions and intervals that not every replica held. */
    public long deletionsDiffering() {
        return counts.of(RepairCount.DELETIONS_DIFFERING);
    }

    /** Rows and deletions that the master received. */
    public long itemsFetched() {
        return counts.of(RepairCount.ITEMS_RECEIVED);
    }

    /** Rows and deletions sent to followers, each as often as it was sent. */
    public long itemsPushed() {
        return counts.of(RepairCount.ITEMS_SENT);
    }

    /** Encoded size of what was fetched and pushed. */
    public long itemBytes() {
        return counts.of(RepairCount.ITEM_BYTES_RECEIVED) + counts.of(RepairCount.ITEM_BYTES_SENT);
    }

    /** Bytes of all messages between the master and replicas on other nodes; 0 inside one process. */
    public long networkBytes() {
        return counts.of(RepairCount.NETWORK_BYTES);
    }

    /** How many places and deletions differed. */
    long differing() {
        return rowsDiffering() + deletionsDiffering();
    }

    /**
     * This one after an attempt at the same that failed when replicas may have kept what they received. What still differed is among
     * what differed then, so that the larger number has all. What replicas kept then is theirs in any case, where it is known.
     */
    RepairReport after(RepairReport lost) {
        RepairCounts both = counts.plus(lost.counts)
                .with(RepairCount.ROWS_DIFFERING, Math.max(rowsDiffering(), lost.rowsDiffering()))
                .with(RepairCount.DELETIONS_DIFFERING, Math.max(deletionsDiffering(), lost.deletionsDiffering()));
        List<ReplicaReport> all = new ArrayList<>();
        for (int i = 0; i < Math.max(replicas.size(), lost.replicas.size()); i++) {
            boolean isKnown = i < replicas.size() && i < lost.replicas.size();
            all.add(
                    isKnown
                            ? replicas.get(i).after(lost.replicas.get(i))
                            : (replicas.isEmpty() ? lost : this).replicas.get(i).unsure());
        }
        Stream<String> twice = replicas.stream()
                .filter(replica -> itemsWritten(replica.member) > 0 && lost.itemsWritten(replica.member) > 0)
                .map(replica ->
                        "replica kept what an attempt gave it that failed at another one, and was given it again:"
                                + " both are counted among what it received and what moved, and staged twice where it stages,"
                                + " replica=" + replica.name);
        return new RepairReport(
                Stream.concat(lost.sessionIds.stream(), sessionIds.stream()).toList(),
                all,
                both,
                dryRun,
                Math.min(importDeadlineSeconds, lost.importDeadlineSeconds),
                Stream.of(lost.notes.stream(), notes.stream(), twice)
                        .flatMap(told -> told)
                        .distinct()
                        .toList(),
                coveredUntilSeconds,
                gcGraceSeconds,
                Math.min(cutoffMicros, lost.cutoffMicros),
                ranges);
    }

    RepairReport withNote(String note) {
        return with(replicas, Stream.concat(notes.stream(), Stream.of(note)).toList(), coveredUntilSeconds, ranges);
    }

    /** The moment up to which what was written was compared, by its write time; empty where nothing was left out for it. */
    public Optional<Instant> cutoff() {
        return cutoffMicros == SessionTerms.NO_CUTOFF
                ? Optional.empty()
                : Optional.of(Instant.EPOCH.plus(cutoffMicros, ChronoUnit.MICROS));
    }

    /** Whether it is known that each replica has what it was given: else what was compared covers nothing. */
    public boolean isKept() {
        return replicas.stream().allMatch(replica -> replica.unkept.isEmpty());
    }

    boolean hasStaged(int member) {
        return replicas.stream().anyMatch(replica -> replica.member == member && !replica.sstables.isEmpty());
    }

    long itemsWritten(int member) {
        return replicas.stream()
                .filter(replica -> replica.member == member)
                .mapToLong(replica -> replica.rowsWritten() + replica.deletionsWritten())
                .sum();
    }

    /** The same when it is not known any more that a replica has what it was given: it covers nothing then. */
    RepairReport unkept(int member, Unkept part) {
        return with(
                replicas.stream()
                        .map(replica -> replica.member == member ? replica.with(part) : replica)
                        .toList(),
                notes,
                0,
                ranges);
    }

    /** The same of what is not done. */
    RepairReport uncovered() {
        return with(replicas, notes, 0, ranges);
    }

    /** The report of a session of some of a repair's members: as places among all, in the session's order. */
    RepairReport ofMembers(List<Integer> places) {
        return with(
                replicas.stream()
                        .map(replica -> replica.of(places.get(replica.member)))
                        .toList(),
                notes,
                coveredUntilSeconds,
                ranges.stream().map(range -> range.ofMembers(places)).toList());
    }

    /** Whether the replicas were equal before, in the ranges of this report. */
    public boolean wereEqual() {
        return differing() == 0 && counts.of(RepairCount.FILES_FIRST) == 0;
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
            out.writeUnsignedVInt(replica.member);
            Texts.write(out, replica.name);
            replica.counts.encode(out);
            out.writeLong(replica.importDeadlineSeconds);
            Texts.write(out, replica.sstables);
            out.writeUnsignedVInt(replica.unkept.size());
            replica.unkept.forEach(part -> part.encode(out));
        }
        counts.encode(out);
        out.writeByte(dryRun ? 1 : 0);
        out.writeLong(importDeadlineSeconds);
        Texts.write(out, notes);
        out.writeLong(coveredUntilSeconds);
        out.writeLong(gcGraceSeconds);
        out.writeLong(cutoffMicros);
        out.writeUnsignedVInt(ranges.size());
        ranges.forEach(range -> range.encode(out));
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
                    in.readUnsignedVInt32(),
                    Texts.read(in),
                    RepairCounts.decode(in),
                    in.readLong(),
                    Texts.readList(in),
                    readUnkept(in)));
        }
        return new RepairReport(
                sessionIds,
                replicas,
                RepairCounts.decode(in),
                in.readByte() != 0,
                in.readLong(),
                Texts.readList(in),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                decodeRanges(in));
    }

    private static List<RangeReport> decodeRanges(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<RangeReport> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ranges.add(RangeReport.decode(in));
        }
        return ranges;
    }

    /** Without its ranges, of which there may be thousands. */
    @Override
    public String toString() {
        return "RepairReport[sessionIds=" + sessionIds + ", replicas=" + replicas + ", counts=" + counts + ", dryRun="
                + dryRun + ", importDeadlineSeconds=" + importDeadlineSeconds + ", notes=" + notes
                + ", coveredUntilSeconds="
                + coveredUntilSeconds + ", gcGraceSeconds=" + gcGraceSeconds + ", cutoffMicros=" + cutoffMicros + "]";
    }

    /** A count larger than what is left cannot be true, so nothing is allocated for it. */
    private static List<Unkept> readUnkept(ByteReader in) {
        List<Unkept> unkept = new ArrayList<>();
        int count = in.readUnsignedVInt32();
        for (int i = 0; i < count; i++) {
            unkept.add(Unkept.decode(in));
        }
        return unkept;
    }

    /**
     * One replica's part.
     *
     * @param member its place among the replicas of the repair, from 0, which is a master's; what they call themselves need not tell
     *     them apart
     * @param counts what it did itself; of a session whose last step failed here, nothing
     * @param importDeadlineSeconds when all that waits for import where it writes must be imported at the latest, from earlier
     *     runs too, or {@link Receiving#NO_DEADLINE}
     * @param unkept what it was given and did not keep, since the last step of a session failed here, or may not have any more;
     *     none where all is well
     */
    public record ReplicaReport(
            int member,
            String name,
            RepairCounts counts,
            long importDeadlineSeconds,
            List<String> sstables,
            List<Unkept> unkept) {
        public ReplicaReport {
            SessionTerms.requireDeadline(importDeadlineSeconds);
            sstables = List.copyOf(sstables);
            unkept = List.copyOf(unkept);
        }

        public long rowsRead() {
            return counts.of(RepairCount.ROWS_READ);
        }

        /** Encoded size of the rows that were read. */
        public long bytesRead() {
            return counts.of(RepairCount.BYTES_READ);
        }

        /**
         * Rows that it lacked and now holds; with a dry run, which moves no rows, places where another has a row or a version that
         * it has not, of which it may lack a part.
         */
        public long rowsWritten() {
            return counts.of(RepairCount.ROWS_WRITTEN);
        }

        /** Partition and range deletions of its own that were compared. */
        public long deletionsRead() {
            return counts.of(RepairCount.DELETIONS_READ);
        }

        /** Rows of its own that were not compared, since something of them was written after the cut-off. */
        public long rowsRecent() {
            return counts.of(RepairCount.ROWS_RECENT);
        }

        /** Partition and range deletions that were not compared for the same reason. */
        public long deletionsRecent() {
            return counts.of(RepairCount.DELETIONS_RECENT);
        }

        /** Partition and range deletions that it lacked. */
        public long deletionsWritten() {
            return counts.of(RepairCount.DELETIONS_WRITTEN);
        }

        private ReplicaReport with(Unkept part) {
            return new ReplicaReport(
                    member,
                    name,
                    counts,
                    importDeadlineSeconds,
                    sstables,
                    Stream.concat(unkept.stream(), Stream.of(part)).toList());
        }

        private ReplicaReport of(int place) {
            return new ReplicaReport(place, name, counts, importDeadlineSeconds, sstables, unkept);
        }

        private static ReplicaReport sum(List<ReplicaReport> parts) {
            return new ReplicaReport(
                    parts.get(0).member,
                    parts.get(0).name,
                    parts.stream().map(ReplicaReport::counts).reduce(RepairCounts.NONE, RepairCounts::plus),
                    parts.stream()
                            .mapToLong(ReplicaReport::importDeadlineSeconds)
                            .min()
                            .orElseThrow(),
                    parts.stream().flatMap(part -> part.sstables.stream()).toList(),
                    parts.stream().flatMap(part -> part.unkept.stream()).toList());
        }

        /**
         * After an attempt at the same: what that one did not keep is kept by now, or told again. A directory is given the same
         * again when it has staged it, known to its master or not.
         */
        private ReplicaReport after(ReplicaReport lost) {
            ReplicaReport both = sum(List.of(lost, this));
            boolean mayHaveKept =
                    !lost.sstables.isEmpty() || lost.unkept.stream().anyMatch(Unkept::mayBeKept);
            return new ReplicaReport(
                    member,
                    name,
                    both.counts,
                    both.importDeadlineSeconds,
                    both.sstables,
                    mayHaveKept ? unsure().unkept : unkept);
        }

        /** Beside an attempt of which nobody knows what this replica kept. */
        private ReplicaReport unsure() {
            return new ReplicaReport(
                    member,
                    name,
                    counts,
                    importDeadlineSeconds,
                    sstables,
                    unkept.stream()
                            .map(part -> new Unkept(part.ranges(), part.items(), true, part.reason()))
                            .toList());
        }

        /** The moment after which its directory must not be imported any more; empty when there is none. */
        public Optional<Instant> importDeadline() {
            return deadline(importDeadlineSeconds);
        }
    }
}
