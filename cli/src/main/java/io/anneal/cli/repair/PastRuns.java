package io.anneal.cli.repair;

import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.runs.Coverage;
import io.anneal.cli.runs.KnownRun;
import io.anneal.cli.runs.RunRecord;
import io.anneal.cli.runs.RunRecords;
import io.anneal.cli.runs.RunsOutput;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** {@code --status} and {@code --history}: what records tell of runs. */
final class PastRuns {
    private final Subcommand command;
    private final RunRecords records;
    private final List<KnownRun> runs;
    private final List<String> unreadable;
    private final List<QualifiedTable> tables;
    private final Instant now;
    private final RunsOutput output;

    /**
     * @param resumeCommand what goes on with a run
     * @param tables only runs of these, of all if there are none
     * @param replicas only runs that had all of these, by name or place
     */
    PastRuns(
            Subcommand command,
            RunRecords records,
            Function<RunRecord, String> resumeCommand,
            List<QualifiedTable> tables,
            List<String> replicas)
            throws IOException {
        this.command = command;
        this.records = records;
        this.tables = tables;
        RunRecords.All all = records.all();
        runs = all.runs().stream().filter(run -> run.isOf(tables, replicas)).toList();
        unreadable = all.unreadable();
        now = command.environment().clock().instant();
        output = new RunsOutput(command.out(), now, resumeCommand);
    }

    /**
     * Returns what the command exits with: yes is not said where a record that can't be read may say otherwise. Of tables that are named
     * it can't: until when they are covered no other run makes less.
     */
    int show(boolean history) throws IOException {
        unreadable.forEach(reason -> command.say("warning: " + reason));
        int exitCode = history ? history() : status();
        boolean mayDiffer = !unreadable.isEmpty() && !(history && !tables.isEmpty());
        return mayDiffer ? ExitCode.NO : exitCode;
    }

    private int status() throws IOException {
        List<KnownRun> unfinished = runs.stream()
                .filter(run -> run.record().isUnfinished() || run.mayBeHeld())
                .toList();
        if (command.json()) {
            output.writeStatus(command.resultFields(), unfinished, unreadable);
        } else {
            output.printStatus(unfinished);
        }
        boolean isOver = unfinished.stream().allMatch(run -> run.state() == KnownRun.State.TOO_OLD && !run.mayBeHeld());
        return isOver ? ExitCode.YES : ExitCode.NO;
    }

    private int history() throws IOException {
        List<KnownRun> over = runs.stream()
                .filter(run -> run.state() == KnownRun.State.ENDED || run.state() == KnownRun.State.TOO_OLD)
                .toList();
        List<Coverage> coverage =
                Coverage.of(runs.stream().map(KnownRun::record).toList(), tables);
        if (command.json()) {
            output.writeHistory(command.resultFields(), over, coverage, unreadable);
        } else if (runs.isEmpty() && tables.isEmpty() && unreadable.isEmpty()) {
            command.out().println("nothing recorded, records=" + records.directory());
        } else {
            output.printHistory(over, coverage);
            if (coverage.isEmpty()) {
                command.out().println("nothing recorded of any table, records=" + records.directory());
            }
        }
        // An alarm that looks where no run was ever recorded, as by a wrong path, must not be silent.
        boolean isCovered = !coverage.isEmpty() && coverage.stream().noneMatch(table -> table.isOverdue(now));
        return isCovered ? ExitCode.YES : ExitCode.NO;
    }
}
