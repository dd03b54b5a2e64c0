package io.anneal.cli.runs;

import io.anneal.key.TokenRange;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What is kept of one run of a repair. Immutable.
 *
 * @param arguments of the command, a word each, as they must be said again; no secrets
 * @param ranges the tokens that were to be repaired among all that own them
 * @param started when each of its parts did, the first part's first
 * @param tables those that are done
 * @param hold of a run over the agents of a cluster
 */
public record RunRecord(
        UUID id,
        List<String> arguments,
        List<String> wantedTables,
        List<RecordedReplica> replicas,
        List<TokenRange> ranges,
        boolean dryRun,
        List<Instant> started,
        Optional<Instant> ended,
        Outcome outcome,
        Optional<RecordedProgress> progress,
        List<RecordedTable> tables,
        Optional<HoldState> hold) {
    /** Of Cassandra's tables that say nothing else; of a run whose tables' own is not known. */
    static final Duration GC_GRACE_DEFAULT = Duration.ofDays(10);

    /** What became of a run. */
    public enum Outcome {
        /** It is going on, or something ended it on the way: it can be gone on with. */
        UNFINISHED,
        /** All that was wanted is done. */
        DONE,
        /** An error kept it from doing anything. */
        FAILED
    }

    public RunRecord {
        arguments = List.copyOf(arguments);
        wantedTables = List.copyOf(wantedTables);
        replicas = List.copyOf(replicas);
        ranges = List.copyOf(ranges);
        started = started.stream().map(RunRecord::inSeconds).toList();
        ended = ended.map(RunRecord::inSeconds);
        tables = List.copyOf(tables);
        if (started.isEmpty()) {
            throw new IllegalArgumentException("run has not started, id=" + id);
        }
        if (ended.isPresent() == (outcome == Outcome.UNFINISHED)) {
            throw new IllegalArgumentException("run has ended or not, id=" + id + ", outcome=" + outcome);
        }
    }

    /** One that starts now. */
    public static RunRecord starting(
            UUID id,
            List<String> arguments,
            List<String> wantedTables,
            List<RecordedReplica> replicas,
            List<TokenRange> ranges,
            boolean dryRun,
            Instant now) {
        return new RunRecord(
                id,
                arguments,
                wantedTables,
                replicas,
                ranges,
                dryRun,
                List.of(now),
                Optional.empty(),
                Outcome.UNFINISHED,
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

    /** The same over agents. */
    public RunRecord holding(HoldState state) {
        return new RunRecord(
                id,
                arguments,
                wantedTables,
                replicas,
                ranges,
                dryRun,
                started,
                ended,
                outcome,
                progress,
                tables,
                Optional.of(state));
    }

    /** What is printed to be read, and kept for days. */
    private static Instant inSeconds(Instant moment) {
        return moment.truncatedTo(ChronoUnit.SECONDS);
    }

    public Instant firstStarted() {
        return started.get(0);
    }

    /** The latest moment which it says has been. */
    Instant latestClaim() {
        return Stream.concat(started.stream(), tables.stream().flatMap(table -> table.coveredUntil().stream()))
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    public boolean isUnfinished() {
        return outcome == Outcome.UNFINISHED;
    }

    /** Whether it went on after something had ended it. */
    public boolean wasResumed() {
        return started.size() > 1;
    }

    /**
     * From when on it must not be gone on with: deletions that its first part did not see may have been purged then, or what it
     * staged must not be imported any more, or agents have let go.
     */
    public Instant resumableUntil() {
        Duration gcGrace = tables.stream()
                .flatMap(table -> table.gcGrace().stream())
                .filter(known -> !known.isZero())
                .min(Duration::compareTo)
                .orElse(GC_GRACE_DEFAULT);
        Instant until = firstStarted().plus(gcGrace);
        for (RecordedTable table : tables) {
            if (table.importBefore().filter(until::isAfter).isPresent()) {
                until = table.importBefore().orElseThrow();
            }
        }
        if (hold.isPresent()) {
            Instant deadline = hold.get().importBefore().orElse(until);
            until = earlier(earlier(until, deadline), hold.get().heldUntil());
        }
        return until;
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    RunRecord resumed(Instant now) {
        List<Instant> parts = new ArrayList<>(started);
        parts.add(now);
        return with(parts, ended, outcome, progress, tables);
    }

    RunRecord withProgress(RecordedProgress now) {
        return with(started, ended, outcome, Optional.of(now), tables);
    }

    /** What an earlier part said of the table is part of this. */
    RunRecord withTable(RecordedTable done) {
        List<RecordedTable> all = new ArrayList<>(tables);
        all.removeIf(table -> table.table().equals(done.table()));
        all.add(done);
        return with(started, ended, outcome, progress, all);
    }

    /** The same run, as if these tables had not been wanted. */
    RunRecord without(Collection<String> unwanted) {
        return new RunRecord(
                id,
                arguments,
                wantedTables.stream().filter(table -> !unwanted.contains(table)).toList(),
                replicas,
                ranges,
                dryRun,
                started,
                ended,
                outcome,
                progress,
                tables.stream()
                        .filter(table -> !unwanted.contains(table.table()))
                        .toList(),
                hold);
    }

    RunRecord withOutcome(Outcome how, Instant now) {
        return with(started, how == Outcome.UNFINISHED ? Optional.empty() : Optional.of(now), how, progress, tables);
    }

    /** The same run, of which this is so by now; what was wanted of it stays. */
    private RunRecord with(
            List<Instant> started,
            Optional<Instant> ended,
            Outcome outcome,
            Optional<RecordedProgress> progress,
            List<RecordedTable> tables) {
        return new RunRecord(
                id, arguments, wantedTables, replicas, ranges, dryRun, started, ended, outcome, progress, tables, hold);
    }
}
