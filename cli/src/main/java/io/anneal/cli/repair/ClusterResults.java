package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.JsonResult;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.runs.OpenRun;
import io.anneal.cli.runs.RecordedReplica;
import io.anneal.cli.runs.RecordedTable;
import io.anneal.cli.runs.RunRecord;
import io.anneal.cli.runs.RunRecords;
import io.anneal.key.TokenRange;
import io.anneal.repair.RepairReport;
import java.io.IOException;
import java.nio.file.Path;
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
    private final Instant started;
    private final Path state;
    private final boolean dryRun;
    private final List<Keyspace> keyspaces = new ArrayList<>();
    private final Map<QualifiedTable, RepairReport> done = new LinkedHashMap<>();
    private final List<ErrorReport> failures = new ArrayList<>();

    private record Keyspace(List<QualifiedTable> tables, Ownership owned, List<AgentPeer> agents) {}

    /** @param state where runs are recorded */
    ClusterResults(Subcommand command, UUID run, Instant started, Path state, boolean dryRun) {
        this.command = command;
        this.run = run;
        this.started = started;
        this.state = state;
        this.dryRun = dryRun;
    }

    UUID run() {
        return run;
    }

    /** The tables of a keyspace are what follows. */
    void begin(List<QualifiedTable> tables, Ownership owned, List<AgentPeer> agents) {
        keyspaces.add(new Keyspace(tables, owned, agents));
        if (!command.json() && !owned.isComplete()) {
            owned.notes().forEach(note -> command.say("note: " + note));
        }
    }

    /** All ranges of a table are done. */
    void add(String name, RepairReport report) {
        Keyspace now = keyspaces.get(keyspaces.size() - 1);
        QualifiedTable table = now.tables().stream()
                .filter(one -> one.toString().equals(name))
                .findFirst()
                .orElseThrow();
        done.put(table, report);
        if (!command.json()) {
            report.notes().forEach(note -> command.say("note: " + note));
            RepairOutput.printFound(command.out(), table, report, now.owned().shareText());
        }
    }

    /** Something of the tables could not be repaired, and was told. */
    void fail(ErrorReport failure) {
        failures.add(failure);
    }

    /** What is decided before the import. */
    void tell(StagedReview review) {
        if (!command.json()) {
            review.lines().forEach(command.out()::println);
        }
    }

    /** The last word; returns what the command exits with. */
    int finish(List<ClusterHold.Imported> imported, StagedReview review) throws IOException {
        boolean haveAll = imported.stream().allMatch(one -> one.failure().isEmpty());
        if (command.json()) {
            write(imported, review);
        } else {
            imported.forEach(this::print);
        }
        boolean mayCover = !dryRun && haveAll && failures.isEmpty();
        Map<QualifiedTable, RepairReport> answered = new LinkedHashMap<>(done);
        answered.values().removeIf(report -> report.comparedNothing() || !report.isKept());
        boolean isAnswered = failures.isEmpty() && answered.size() == done.size();
        answered.keySet().removeIf(table -> review.refused().contains(table.toString()));
        if (mayCover && !answered.isEmpty()) {
            record(answered);
        }
        if (!command.json()) {
            printCovered(mayCover ? answered : Map.of(), mayCover && isAnswered);
        }
        if (!isAnswered) {
            return ExitCode.UNANSWERED;
        }
        boolean isYes = dryRun
                ? done.values().stream().allMatch(RepairReport::wereEqual)
                : haveAll && review.refused().isEmpty();
        return isYes ? ExitCode.YES : ExitCode.NO;
    }

    private void print(ClusterHold.Imported node) {
        if (node.failure().isPresent()) {
            command.tell(failure(node));
            command.out().println(node.agent().name() + ": did not import, or not all of it");
        } else {
            command.out().println(node.agent().name() + ": imported " + node.sstables() + " SSTables");
        }
    }

    private static Exception failure(ClusterHold.Imported node) {
        return node.failure().orElseThrow() instanceof Exception known
                ? known
                : new IllegalStateException(node.failure().get());
    }

    private void printCovered(Map<QualifiedTable, RepairReport> covered, boolean isAll) {
        covered.forEach((table, report) -> command.out()
                .println(table + ": covered until " + Instant.ofEpochSecond(report.coveredUntilSeconds())));
        if (dryRun && done.values().stream().anyMatch(report -> !report.wereEqual())) {
            command.out().println("next: the same without --dry-run makes the replicas equal");
        } else if (!dryRun && !isAll) {
            command.out().println("next: mend what was told, and repair again: what was imported is right");
        }
    }

    /** What a dry run finds, or one of which a node has not imported all, covers nothing; nor does a table of which nothing was compared. */
    private void record(Map<QualifiedTable, RepairReport> covered) {
        List<String> tables =
                covered.keySet().stream().map(QualifiedTable::toString).toList();
        Map<String, RecordedReplica> replicas = new LinkedHashMap<>();
        for (Keyspace keyspace : keyspaces) {
            for (int i = 0; i < keyspace.agents().size(); i++) {
                String node = keyspace.owned().nodes().get(i);
                replicas.put(
                        node, new RecordedReplica(node, keyspace.agents().get(i).name()));
            }
        }
        RunRecords records = new RunRecords(state, command.environment().clock(), command::say);
        RunRecord record =
                RunRecord.starting(run, tables, tables, List.copyOf(replicas.values()), ranges(), false, started);
        try (OpenRun open = records.start(record)) {
            covered.forEach((table, report) -> open.tableDone(recorded(table, report)));
            open.ends(RunRecord.Outcome.DONE);
        } catch (IOException e) {
            command.say("warning: this run can't be recorded: give another --state DIR, state=" + state + ", reason="
                    + e.getMessage());
        }
    }

    /** All owners of all keyspaces take part, or those of one do in a data centre; of several the same ranges of each can't be told. */
    private List<TokenRange> ranges() {
        if (keyspaces.stream().allMatch(keyspace -> keyspace.owned().isComplete())) {
            return List.of(TokenRange.FULL);
        }
        return keyspaces.size() == 1 ? keyspaces.get(0).owned().complete() : List.of();
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

    private void write(List<ClusterHold.Imported> imported, StagedReview review) throws IOException {
        try (JsonResult result = new JsonResult(command.out(), "cluster repair")) {
            JsonGenerator json = result.fields();
            json.writeStringField("run", run.toString());
            json.writeBooleanField("dry-run", dryRun);
            json.writeArrayFieldStart("tables");
            for (Map.Entry<QualifiedTable, RepairReport> table : done.entrySet()) {
                RepairReport report = table.getValue();
                json.writeStartObject();
                json.writeStringField("table", table.getKey().toString());
                if (!report.comparedNothing()) {
                    json.writeBooleanField("were-equal", report.wereEqual());
                }
                json.writeNumberField("rows-compared", report.rowsCompared());
                json.writeNumberField("rows-differing", report.rowsDiffering());
                json.writeNumberField("deletions-differing", report.deletionsDiffering());
                json.writeStringField(
                        "compared-up-to",
                        Instant.ofEpochSecond(report.coveredUntilSeconds()).toString());
                RepairOutput.writeTexts(json, "notes", report.notes());
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
}
