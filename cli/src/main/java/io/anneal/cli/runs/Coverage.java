package io.anneal.cli.runs;

import io.anneal.cli.command.QualifiedTable;
import io.anneal.key.TokenRange;
import io.anneal.table.RepairTime;
import io.anneal.table.RepairedRanges;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Until when a table is covered among some replicas: everything written before was compared on the whole ring, and what differed was
 * written, by runs that ended well.
 *
 * @param replicas names; none of a table of which nothing is known
 * @param until empty when a part of the ring was never repaired
 * @param untilOnceImported the same when what waits for an import is imported
 * @param ringShare how much of the ring was ever repaired, from 0 to 1
 * @param gcGrace that of the newest run which knew it, else Cassandra's default
 * @param waiting runs whose SSTables {@code untilOnceImported} counts
 * @param importBefore the earliest of their deadlines, which may have passed: what was not imported by then must not be any more
 */
public record Coverage(
        String table,
        List<String> replicas,
        Optional<Instant> until,
        Optional<Instant> untilOnceImported,
        double ringShare,
        Duration gcGrace,
        List<UUID> waiting,
        Optional<Instant> importBefore) {

    /** How long until deletions may be purged that a replica has not seen; negative when it is over. */
    public Optional<Duration> left(Instant now) {
        return until.map(covered -> Duration.between(now, covered.plus(gcGrace)));
    }

    /** A table without gc_grace keeps no deletion for repairs. */
    public boolean isOverdue(Instant now) {
        return !left(now)
                .map(left -> gcGrace.isZero() || !left.isNegative() && !left.isZero())
                .orElse(false);
    }

    /** What one run did for a table. */
    private record Done(RunRecord run, RecordedTable table) {
        Set<String> places() {
            return run.replicas().stream().map(RecordedReplica::place).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /**
     * Of each table that these runs were to repair, or a dry run was to compare, and each table or keyspace that is named, by replicas. Runs between different replicas count together
     * where they have a replica in common and no range: they are vnodes, each with its owners.
     *
     * @param runs the newest first
     */
    public static List<Coverage> of(List<RunRecord> runs, Collection<QualifiedTable> named) {
        Map<String, List<Done>> byTable = new LinkedHashMap<>();
        for (RunRecord run : runs) {
            run.wantedTables().stream()
                    .filter(table -> named.isEmpty() || KnownRun.isOneOf(named, table))
                    .forEach(table -> byTable.putIfAbsent(table, new ArrayList<>()));
            for (RecordedTable table : run.tables()) {
                boolean isWanted = named.isEmpty() || KnownRun.isOneOf(named, table.table());
                if (isWanted && !run.dryRun() && table.coveredUntil().isPresent()) {
                    byTable.computeIfAbsent(table.table(), name -> new ArrayList<>())
                            .add(new Done(run, table));
                }
            }
        }
        for (QualifiedTable table : named) {
            // Of a keyspace of which no run knows a table nothing else is said.
            if (byTable.keySet().stream().noneMatch(known -> KnownRun.isOneOf(List.of(table), known))) {
                byTable.put(table.toString(), List.of());
            }
        }
        List<Coverage> all = new ArrayList<>();
        byTable.forEach((table, done) -> {
            if (done.isEmpty()) {
                all.add(new Coverage(
                        table,
                        List.of(),
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        RunRecord.GC_GRACE_DEFAULT,
                        List.of(),
                        Optional.empty()));
            }
            groups(done).forEach(group -> all.add(of(table, group)));
        });
        return all;
    }

    /** What runs have in common of which the newest says all: one table among the same replicas, in the same ranges. */
    private record Part(String table, Set<String> places, List<TokenRange> ranges, boolean isImported) {}

    /**
     * Those runs without which less would be known: {@link #of} says the same of them as of all.
     *
     * @param runs the newest first
     */
    static Set<UUID> basis(List<RunRecord> runs) {
        Map<Part, List<Done>> parts = new LinkedHashMap<>();
        Set<String> covered = new HashSet<>();
        for (RunRecord run : runs) {
            for (RecordedTable table : run.tables()) {
                if (!run.dryRun() && table.coveredUntil().isPresent()) {
                    Done done = new Done(run, table);
                    covered.add(table.table());
                    parts.computeIfAbsent(
                                    new Part(table.table(), done.places(), run.ranges(), table.sstablesToImport() == 0),
                                    first -> new ArrayList<>())
                            .add(done);
                }
            }
        }
        Set<UUID> basis = new HashSet<>();
        for (List<Done> same : parts.values()) {
            // The newest knows gc_grace; it may be of older snapshots than another one.
            basis.add(same.get(0).run.id());
            basis.add(Collections.max(
                            same,
                            Comparator.comparing(
                                    done -> done.table.coveredUntil().orElseThrow()))
                    .run
                    .id());
        }
        // That a table was ever to be repaired says something only where nothing else does.
        for (RunRecord run : runs) {
            if (covered.addAll(run.wantedTables())) {
                basis.add(run.id());
            }
        }
        return basis;
    }

    /** By the same replicas, and then those together that are parts of one ring. */
    private static Collection<List<Done>> groups(List<Done> done) {
        Map<Set<String>, Group> bySet = new LinkedHashMap<>();
        for (Done one : done) {
            bySet.computeIfAbsent(one.places(), places -> new Group()).add(one);
        }
        List<Group> groups = new ArrayList<>();
        for (Group set : bySet.values()) {
            groups.stream()
                    .filter(group -> group.isOfOneRingWith(set))
                    .findFirst()
                    .ifPresentOrElse(group -> group.add(set), () -> groups.add(set));
        }
        return groups.stream().map(group -> group.done).toList();
    }

    /** Runs that count together. They repair the same ranges again and again, so that each range is looked at once. */
    private static final class Group {
        private final List<Done> done = new ArrayList<>();
        private final Set<String> places = new HashSet<>();
        private final Set<TokenRange> ranges = new HashSet<>();

        void add(Done one) {
            done.add(one);
            places.addAll(one.places());
            ranges.addAll(one.run.ranges());
        }

        void add(Group other) {
            done.addAll(other.done);
            places.addAll(other.places);
            ranges.addAll(other.ranges);
        }

        boolean isOfOneRingWith(Group other) {
            return !Collections.disjoint(places, other.places) && !TokenRange.overlap(ranges, other.ranges);
        }
    }

    private static Coverage of(String table, List<Done> done) {
        List<RepairTime> certain = latest(
                done.stream().filter(one -> one.table.sstablesToImport() == 0).toList());
        List<RepairTime> imported = latest(done);
        Optional<Instant> until = earliest(certain);
        List<Done> waiting = done.stream()
                .filter(one -> one.table.sstablesToImport() > 0)
                .filter(one -> until.isEmpty()
                        || one.table.coveredUntil().orElseThrow().isAfter(until.get()))
                .toList();
        return new Coverage(
                table,
                done.stream()
                        .flatMap(one -> one.run.replicas().stream())
                        .map(RecordedReplica::name)
                        .distinct()
                        .toList(),
                until,
                earliest(imported),
                share(imported),
                done.stream()
                        .flatMap(one -> one.table.gcGrace().stream())
                        .findFirst()
                        .orElse(RunRecord.GC_GRACE_DEFAULT),
                waiting.stream().map(one -> one.run.id()).toList(),
                waiting.stream()
                        .flatMap(one -> one.table.importBefore().stream())
                        .min(Comparator.naturalOrder()));
    }

    /** Of each range that any of them repaired, the latest time. */
    private static List<RepairTime> latest(List<Done> done) {
        Map<TokenRange, Long> latest = new HashMap<>();
        for (Done one : done) {
            long seconds = one.table.coveredUntil().orElseThrow().getEpochSecond();
            one.run.ranges().forEach(range -> latest.merge(range, seconds, Math::max));
        }
        return latest.entrySet().stream()
                .map(known -> new RepairTime(known.getKey(), known.getValue()))
                .toList();
    }

    /** Of the ring, of ranges that may overlap. */
    private static double share(List<RepairTime> times) {
        List<TokenRange.Linear> ascending = times.stream()
                .flatMap(time -> time.range().unwrap().stream())
                .sorted(Comparator.comparingLong(TokenRange.Linear::first))
                .toList();
        double width = 0;
        long last = Long.MIN_VALUE;
        for (TokenRange.Linear part : ascending) {
            if (part.last() > last) {
                width += new TokenRange.Linear(Math.max(part.first(), last), part.last()).width();
                last = part.last();
            }
        }
        return width / TokenRange.FULL.width();
    }

    private static Optional<Instant> earliest(List<RepairTime> times) {
        long seconds = RepairedRanges.earliest(times, List.of(TokenRange.FULL));
        return seconds == RepairedRanges.NEVER ? Optional.empty() : Optional.of(Instant.ofEpochSecond(seconds));
    }
}
