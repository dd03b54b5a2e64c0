package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.agent.ClusterHold;
import io.anneal.cli.command.Counted;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.runs.OpenRun;
import io.anneal.cli.runs.RecordedTable;
import io.anneal.repair.RepairReport;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What becomes of each table and each node of a cluster's repair: printed, or written as JSON at the end, and recorded. One call at a time. */
final class ClusterResults {
    private final Subcommand command;
    private final UUID run;
    private final Optional<OpenRun> record;
    private final Optional<String> goOn;
    private final boolean dryRun;
    private Optional<ClusterPart> now = Optional.empty();
    private final Map<QualifiedTable, RepairReport> done = new LinkedHashMap<>();
    private final List<ErrorReport> failures = new ArrayList<>();
    private Optional<Snapshots> snapshots = Optional.empty();
    /** One of the failures at least may pass. */
    private boolean hasPassing;

    /**
     * @param record of the run, if one is kept
     * @param goOn what goes on with it
     */
    ClusterResults(Subcommand command, UUID run, Optional<OpenRun> record, Optional<String> goOn, boolean dryRun) {
        this.command = command;
        this.run = run;
        this.record = record;
        this.goOn = goOn;
        this.dryRun = dryRun;
    }

    UUID run() {
        return run;
    }

    /** When the first one of all nodes began, and when the last one was there. */
    private record Snapshots(Instant from, Instant to) {}

    void snapshots(Instant from, Instant to) {
        snapshots = Optional.of(new Snapshots(from, to));
    }

    /** The tables of a keyspace are what follows. */
    void begin(ClusterPart part) {
        now = Optional.of(part);
        if (!command.json() && !part.owned().isComplete()) {
            part.owned().notes().forEach(note -> command.say("note: " + note));
        }
    }

    /** All ranges of a table are done; it may be said again when a comparison goes on. */
    void add(String name, RepairReport report) {
        ClusterPart part = now.orElseThrow();
        QualifiedTable table = part.tables().stream()
                .filter(one -> one.toString().equals(name))
                .findFirst()
                .orElseThrow();
        boolean isNew = done.put(table, report) == null;
        // What nodes lack covers nothing before they have imported it; a dry run covers nothing, and is asked what it
        // found.
        if (isAnswer(report) && (dryRun || report.wereEqual())) {
            record.ifPresent(open -> open.tableDone(recorded(table, report)));
        }
        if (isNew && !command.json()) {
            report.notes().forEach(note -> command.say("note: " + note));
            RepairOutput.printFound(command.out(), table, report, part.owned().shareText());
        }
    }

    private static boolean isAnswer(RepairReport report) {
        return !report.comparedNothing() && report.isKept();
    }

    /** What is decided before the import. */
    void tell(StagedReview review) {
        if (!command.json()) {
            review.lines().forEach(command.out()::println);
        }
    }

    private Map<QualifiedTable, RepairReport> answered() {
        Map<QualifiedTable, RepairReport> answered = new LinkedHashMap<>(done);
        answered.values().removeIf(report -> !isAnswer(report));
        return answered;
    }

    private static boolean haveAll(List<ClusterHold.Imported> imported) {
        return imported.stream().allMatch(one -> one.failure().isEmpty());
    }

    /** Whether there is nothing left to do. */
    boolean isWhole(List<ClusterHold.Imported> imported) {
        return failures.isEmpty() && haveAll(imported);
    }

    /** Why not all was done, in the words of what failed first. */
    Optional<String> firstFailure(List<ClusterHold.Imported> imported) {
        return failures.stream()
                .map(ErrorReport::message)
                .findFirst()
                .or(() -> imported.stream()
                        .filter(one -> one.failure().isPresent())
                        .map(one -> ErrorReport.of(failure(one)).message())
                        .findFirst());
    }

    /** Whether something was not done, and may be by another try. */
    boolean mayPass(List<ClusterHold.Imported> imported) {
        return hasPassing
                || imported.stream()
                        .anyMatch(one -> one.failure()
                                .filter(failure -> !ClusterHold.isOver(failure))
                                .isPresent());
    }

    /** Records what is covered once all nodes have imported: what a dry run finds covers nothing. */
    void covers(List<ClusterHold.Imported> imported, StagedReview review) {
        if (!dryRun && haveAll(imported)) {
            Map<QualifiedTable, RepairReport> answered = answered();
            answered.keySet().removeIf(table -> review.refused().contains(table.toString()));
            answered.forEach((table, report) -> record.ifPresent(open -> open.tableDone(recorded(table, report))));
        }
    }

    /**
     * Something of the tables could not be repaired, and was told.
     *
     * @param mayPass whether another try may end otherwise
     */
    void fail(ErrorReport failure, boolean mayPass) {
        failures.add(failure);
        hasPassing |= mayPass;
    }

    /**
     * The last word; returns what the command exits with.
     *
     * @param isKept agents hold on for who goes on
     */
    int finish(List<ClusterHold.Imported> imported, StagedReview review, boolean isKept) throws IOException {
        if (command.json()) {
            write(imported, review, isKept);
        } else {
            imported.forEach(this::print);
        }
        Map<QualifiedTable, RepairReport> answered = answered();
        boolean mayCover = !dryRun && isWhole(imported);
        boolean isAnswered = failures.isEmpty() && answered.size() == done.size();
        answered.keySet().removeIf(table -> review.refused().contains(table.toString()));
        if (!command.json()) {
            printCovered(mayCover ? answered : Map.of(), mayCover && isAnswered, isKept);
        }
        if (!isAnswered) {
            return ExitCode.UNANSWERED;
        }
        boolean isYes = dryRun
                ? done.values().stream().allMatch(RepairReport::wereEqual)
                : haveAll(imported) && review.refused().isEmpty();
        return isYes ? ExitCode.YES : ExitCode.NO;
    }

    private void print(ClusterHold.Imported node) {
        if (node.failure().isPresent()) {
            command.tell(failure(node));
            command.out().println(node.agent().name() + ": did not import, or not all of it");
        } else {
            command.out().println(node.agent().name() + ": imported " + Counted.of(node.sstables(), "SSTable"));
        }
    }

    private static Exception failure(ClusterHold.Imported node) {
        return node.failure().orElseThrow() instanceof Exception known
                ? known
                : new IllegalStateException(node.failure().get());
    }

    private void printCovered(Map<QualifiedTable, RepairReport> covered, boolean isAll, boolean isKept) {
        covered.forEach((table, report) -> command.out()
                .println(table + ": covered until " + Instant.ofEpochSecond(report.coveredUntilSeconds())));
        if (isKept) {
            goOn.ifPresent(words -> command.out().println("next: mend what was told, and go on with: " + words));
        } else if (dryRun && done.values().stream().anyMatch(report -> !report.wereEqual())) {
            command.out().println("next: the same without --dry-run makes the replicas equal");
        } else if (!dryRun && !isAll) {
            command.out().println("next: mend what was told, and repair again: what was imported is right");
        }
    }

    /** Nothing waits for an import. */
    private static RecordedTable recorded(QualifiedTable table, RepairReport report) {
        RecordedTable staged = RepairRun.recorded(table, report);
        return new RecordedTable(
                staged.table(),
                staged.rowsDiffering(),
                staged.deletionsDiffering(),
                staged.rowsWritten(),
                staged.deletionsWritten(),
                staged.coveredUntil(),
                staged.gcGrace(),
                0,
                Optional.empty());
    }

    private void write(List<ClusterHold.Imported> imported, StagedReview review, boolean isKept) throws IOException {
        JsonGenerator json = command.resultFields();
        json.writeStringField("run", run.toString());
        json.writeBooleanField("dry-run", dryRun);
        json.writeStringField("resume", isKept ? goOn.orElse(null) : null);
        if (snapshots.isPresent()) {
            json.writeStringField("snapshots-from", snapshots.get().from().toString());
            json.writeStringField("snapshots-to", snapshots.get().to().toString());
        }
        json.writeArrayFieldStart("tables");
        for (Map.Entry<QualifiedTable, RepairReport> table : done.entrySet()) {
            RepairReport report = table.getValue();
            json.writeStartObject();
            json.writeStringField("table", table.getKey().toString());
            if (!report.comparedNothing()) {
                json.writeBooleanField("were-equal", report.wereEqual());
            }
            RepairOutput.writeCounts(json, report);
            json.writeNumberField("rows-compared", report.rowsCompared());
            json.writeStringField(
                    "compared-up-to",
                    Instant.ofEpochSecond(report.coveredUntilSeconds()).toString());
            RepairOutput.writeTexts(json, "notes", report.notes());
            json.writeArrayFieldStart("replicas");
            for (RepairReport.ReplicaReport replica : report.replicas()) {
                json.writeStartObject();
                RepairOutput.writeReplica(json, report, replica);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("nodes");
        for (ClusterHold.Imported node : imported) {
            json.writeStartObject();
            json.writeStringField("agent", node.agent().name());
            json.writeNumberField("sstables-imported", node.sstables());
            json.writeStringField(
                    "error",
                    node.failure().isEmpty()
                            ? null
                            : ErrorReport.of(node.failure().get()).message());
            json.writeEndObject();
        }
        json.writeEndArray();
        RepairOutput.writeTexts(json, "notes", review.lines());
        RepairOutput.writeTexts(json, "refused", List.copyOf(review.refused()));
        RepairOutput.writeTexts(
                json, "errors", failures.stream().map(ErrorReport::message).toList());
    }
}
