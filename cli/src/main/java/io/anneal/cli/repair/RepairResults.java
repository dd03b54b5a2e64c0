package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.base.Throwables;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.job.JobFailedException;
import io.anneal.job.RangeUnit;
import io.anneal.repair.DriftEstimate;
import io.anneal.repair.RangeReport;
import io.anneal.repair.RepairReport;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What becomes of each table of a repair: printed when the table is done, or all of it as JSON at the end. One call at a time. */
final class RepairResults {

    private final Subcommand command;
    private final RepairTask task;
    private final Progress progress;
    private final RepairRun run;
    private final Map<QualifiedTable, Done> done = new HashMap<>();
    private final Map<QualifiedTable, ErrorReport> failed = new HashMap<>();
    private final TableNotes notes = new TableNotes();

    /** What kept the run from being done as a whole, and recorded so. */
    private Optional<Exception> ending = Optional.empty();

    /** Tables that no replica has. */
    private Set<String> absent = Set.of();

    /** What is done of each table that is not done as a whole. */
    private final Map<QualifiedTable, RepairReport> unfinished = new HashMap<>();

    /** A table's report, and when it was there: its SSTables may have been in time then. */
    private record Done(RepairReport report, Instant now) {}

    private final String nextStep;
    private Optional<DriftKeys> keys = Optional.empty();
    /** Where rows that differ are written while the repair runs. */
    private Optional<JsonGenerator> rows = Optional.empty();

    /**
     * @param run hears of each table that is done, and how all of it ended
     * @param nextStep what to do where a dry run found that replicas differ
     */
    RepairResults(Subcommand command, RepairTask task, Progress progress, RepairRun run, String nextStep) {
        this.nextStep = nextStep;
        this.command = command;
        this.task = task;
        this.progress = progress;
        this.run = run;
    }

    /** Sets who reads the rows that a sample found to differ. */
    void sampled(DriftKeys reading) {
        keys = Optional.of(reading);
    }

    private DriftEstimate estimate(Collection<RangeReport> found) {
        return DriftEstimate.of(
                task.sample().orElseThrow(), task.owned().ranges().orElseThrow(), found);
    }

    private void printSample(QualifiedTable table, RepairReport report, Instant now) {
        if (report.comparedNothing()) {
            command.out().println(table + ": " + RepairOutput.verdict(report));
        } else {
            DriftEstimate estimate = estimate(report.ranges());
            DriftOutput.print(command.out(), table.toString(), estimate);
            keys.ifPresent(
                    reading -> DriftOutput.printKeys(command.out(), estimate, reading.of(table.toString()), now));
        }
        RepairOutput.printLeftOut(command.out(), report);
    }

    RepairRun run() {
        return run;
    }

    /** How rows that differ are told. With JSON they are the first field of the result: there may be more than memory holds. */
    RowLines.Format rowFormat() throws IOException {
        if (!command.json()) {
            return new RowText(command.out(), progress);
        }
        rows = Optional.of(command.resultFields());
        rows.get().writeArrayFieldStart("rows");
        return new RowJson(rows.get());
    }

    private JsonGenerator result() throws IOException {
        if (rows.isPresent()) {
            rows.get().writeEndArray();
        }
        return command.resultFields();
    }

    private QualifiedTable table(String qualifiedName) {
        return task.tables().stream()
                .filter(table -> table.toString().equals(qualifiedName))
                .findFirst()
                .orElseThrow();
    }

    /** Some ranges of a table are done, and others will not be. */
    void addUnfinished(String tableName, RepairReport report) {
        unfinished.put(table(tableName), report);
    }

    private Optional<RepairReport> kept(QualifiedTable table) {
        return Optional.ofNullable(unfinished.get(table));
    }

    /** All ranges of a table are done. */
    void add(String tableName, RepairReport report) {
        QualifiedTable table = table(tableName);
        Instant now = command.environment().clock().instant();
        done.put(table, new Done(report, now));
        run.tableDone(table, report);
        if (!command.json()) {
            progress.aside(() -> {
                notes.add(table, report.notes()).forEach(command::say);
                if (task.sample().isPresent()) {
                    printSample(table, report, now);
                } else {
                    RepairOutput.print(
                            command.out(), run.id(), table, report, task.owned().shareText(), now);
                }
            });
        }
    }

    /**
     * Tells what kept tables from being done: each its own reason, or one for all that are left. A table that is done stays so, if
     * only a record of it failed.
     */
    void addFailure(Exception failure) {
        ending = Optional.of(failure);
        if (failure instanceof JobFailedException units) {
            // Many ranges of a table may fail for one reason.
            Map<String, List<JobFailedException.UnitFailure>> byReason = units.failures().stream()
                    .collect(Collectors.groupingBy(
                            unit -> RangeUnit.tableOf(unit.unit()) + " " + reason(unit.cause()),
                            LinkedHashMap::new,
                            Collectors.toList()));
            for (List<JobFailedException.UnitFailure> same : byReason.values()) {
                QualifiedTable table = table(RangeUnit.tableOf(same.get(0).unit()));
                ErrorReport error = command.tell(same.get(0).cause());
                if (!done.containsKey(table)) {
                    failed.put(table, error);
                }
                if (same.size() > 1) {
                    command.say("so failed " + same.size() + " parts, table=" + table);
                }
            }
            List<QualifiedTable> left = left();
            if (!left.isEmpty()) {
                // Where nothing can be recorded the job ends: what it had not come to has no failure of its own.
                fail(left, ErrorReport.of(units.failures().get(0).cause()));
                command.say("so failed all that was left, tables=" + left);
            }
        } else {
            fail(left(), command.tell(failure));
        }
        if (!command.json()) {
            Instant now = command.environment().clock().instant();
            task.tables().stream()
                    .filter(failed::containsKey)
                    .forEach(table -> kept(table)
                            .ifPresent(kept -> RepairOutput.printKept(command.out(), run.id(), table, kept, now)));
        }
    }

    private List<QualifiedTable> left() {
        return task.tables().stream()
                .filter(table -> !done.containsKey(table) && !failed.containsKey(table))
                .toList();
    }

    private void fail(List<QualifiedTable> tables, ErrorReport error) {
        tables.forEach(table -> failed.put(table, error));
    }

    /** Those of which nothing was done. */
    List<QualifiedTable> untouched() {
        return failed.keySet().stream().filter(table -> kept(table).isEmpty()).toList();
    }

    /** Leaves tables that no replica has out of the record of the run, which is over without them. */
    void leaveOut(Collection<String> tables) {
        absent = Set.copyOf(tables);
        run.forget(absent);
    }

    /** What kept the run from being done, as its record has it. */
    private Optional<Exception> recordedEnding() {
        return ending.filter(failure -> done.isEmpty()
                || !(failure instanceof JobFailedException units)
                || !units.failures().stream().allMatch(unit -> absent.contains(RangeUnit.tableOf(unit.unit())))
                || !failed.keySet().stream().map(QualifiedTable::toString).allMatch(absent::contains));
    }

    private Stream<RepairReport> whole() {
        return done.values().stream().map(Done::report);
    }

    /** What was kept of tables that failed. */
    private Stream<RepairReport> inPart() {
        return failed.keySet().stream().flatMap(table -> kept(table).stream());
    }

    /** What is the same for all that failed by one cause, as a full disk: not the file at which it was found. */
    private static String reason(Throwable failure) {
        Throwable root = Throwables.getRootCause(failure);
        return root instanceof FileSystemException file && file.getReason() != null
                ? file.getReason()
                : String.valueOf(root.getMessage());
    }

    /** The last word; returns what the command exits with. */
    int finish() throws IOException {
        // What was found in part of a sample says nothing of the whole.
        RepairReport sum = RepairReport.sum(
                (task.sample().isPresent() ? whole() : Stream.concat(whole(), inPart())).toList(), task.dryRun());
        int tables = task.tables().size();
        if (command.json()) {
            JsonGenerator fields = result();
            run.write(fields);
            fields.writeArrayFieldStart("tables");
            for (QualifiedTable table : task.tables()) {
                if (done.containsKey(table)) {
                    Done one = done.get(table);
                    Optional<DriftEstimate> estimate = task.sample()
                            .filter(sample -> !one.report().comparedNothing())
                            .map(sample -> estimate(one.report().ranges()));
                    RepairOutput.write(fields, run.id(), table, one.report(), isKnown(one), one.now(), json -> {
                        if (estimate.isPresent()) {
                            DriftOutput.write(
                                    json,
                                    estimate.get(),
                                    task.sample().orElseThrow().seed(),
                                    keys.map(reading -> reading.of(table.toString())));
                        }
                    });
                } else if (failed.containsKey(table)) {
                    RepairOutput.writeError(
                            fields,
                            run.id(),
                            table,
                            failed.get(table),
                            kept(table),
                            command.environment().clock().instant());
                }
            }
            fields.writeEndArray();
            RepairOutput.writeSum(fields, sum, tables, failed.size(), areKnown());
            if (task.sample().isPresent()) {
                DriftOutput.write(
                        fields, estimate(sum.ranges()), task.sample().get().seed(), Optional.empty());
            }
            RepairOutput.writeTexts(fields, "notes", task.owned().notes());

        } else if (task.sample().isPresent()) {
            if (tables > 1) {
                DriftOutput.print(command.out(), "in all " + tables + " tables", estimate(sum.ranges()));
            }
            command.out()
                    .println("the same slices again: --seed="
                            + task.sample().get().seed());
        } else if (tables > 1) {
            RepairOutput.printSum(command.out(), sum, tables, failed.size());
        }
        if (!command.json()) {
            notes.rest().forEach(command::say);
        }
        run.ended(recordedEnding(), !unfinished.isEmpty() || !done.isEmpty());
        if (!command.json() && task.dryRun() && !sum.wereEqual()) {
            command.out().println("next: " + nextStep);
        }
        if (ending.isPresent()) {
            return command.errorExitCode();
        }
        if (!areKnown()) {
            return ExitCode.UNANSWERED;
        }
        return done.values().stream().allMatch(this::isFulfilled) ? ExitCode.YES : ExitCode.NO;
    }

    private boolean areKnown() {
        return done.values().stream().allMatch(this::isKnown);
    }

    /**
     * Whether anything was compared, and what replicas were given is there: else nothing is known of a table's replicas, though no
     * difference was found, or all was written.
     */
    private boolean isKnown(Done table) {
        boolean sampledNothing =
                task.sample().filter(sample -> sample.share() < 1).isPresent()
                        && table.report().wereEqual()
                        && table.report().rowsCompared() == 0;
        return !sampledNothing
                && !table.report().comparedNothing()
                && table.report().isKept();
    }

    private boolean isFulfilled(Done table) {
        return task.dryRun() ? table.report().wereEqual() : !RepairOutput.isTooLate(table.report(), table.now());
    }
}
