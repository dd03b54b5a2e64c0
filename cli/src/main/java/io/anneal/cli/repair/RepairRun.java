package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.runs.OpenRun;
import io.anneal.cli.runs.RecordedReplica;
import io.anneal.cli.runs.RecordedTable;
import io.anneal.cli.runs.RunRecord;
import io.anneal.cli.runs.RunsOutput;
import io.anneal.job.CheckpointRefusedException;
import io.anneal.job.JobProgress;
import io.anneal.repair.RepairReport;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * The run that the command is at, with its record, if one can be kept: the repair goes on without. Threads as the repair's listeners
 * have them.
 */
final class RepairRun implements Closeable {
    private static final String GO_ON = "go on";

    private final Subcommand command;
    private final RunOptions options;
    private final UUID id;
    private final Optional<OpenRun> recorded;

    private RepairRun(Subcommand command, RunOptions options, UUID id, Optional<OpenRun> recorded) {
        this.command = command;
        this.options = options;
        this.id = id;
        this.recorded = recorded;
    }

    static RepairRun started(Subcommand command, RunOptions options, RepairTask task, List<RecordedReplica> replicas) {
        UUID id = command.host().newId();
        List<String> tables =
                task.tables().stream().map(QualifiedTable::toString).toList();
        Optional<OpenRun> recorded = Optional.empty();
        try {
            recorded = Optional.of(options.records(command)
                    .start(RunRecord.starting(
                            id,
                            options.recorded(tables, task.sample()),
                            tables,
                            replicas,
                            task.owned().complete(),
                            task.dryRun(),
                            command.environment().clock().instant())));
        } catch (IOException e) {
            command.say("warning: this run can't be resumed, since no record of it can be written: give another --state"
                    + " DIR, state=" + options.directory(command) + ", reason=" + e.getMessage());
        }
        return new RepairRun(command, options, id, recorded);
    }

    static RepairRun resumed(Subcommand command, RunOptions options, UUID id) throws IOException {
        return new RepairRun(
                command, options, id, Optional.of(options.records(command).resume(id)));
    }

    UUID id() {
        return id;
    }

    /** Where the repair records what is done. */
    Optional<Path> checkpoint() {
        return recorded.map(OpenRun::checkpoint);
    }

    void progressed(JobProgress progress) {
        recorded.ifPresent(run -> run.progressed(progress));
    }

    void tableDone(QualifiedTable table, RepairReport report) {
        recorded.ifPresent(run -> run.tableDone(recorded(table, report)));
    }

    static RecordedTable recorded(QualifiedTable table, RepairReport report) {
        return new RecordedTable(
                table.toString(),
                report.rowsDiffering(),
                report.deletionsDiffering(),
                report.replicas().stream()
                        .mapToLong(RepairReport.ReplicaReport::rowsWritten)
                        .sum(),
                report.replicas().stream()
                        .mapToLong(RepairReport.ReplicaReport::deletionsWritten)
                        .sum(),
                report.coveredUntilSeconds() > 0
                        ? Optional.of(Instant.ofEpochSecond(report.coveredUntilSeconds()))
                        : Optional.empty(),
                report.gcGraceSeconds() >= 0
                        ? Optional.of(Duration.ofSeconds(report.gcGraceSeconds()))
                        : Optional.empty(),
                report.replicas().stream()
                        .mapToInt(replica -> replica.sstables().size())
                        .sum(),
                report.importDeadline());
    }

    /**
     * All that could be done is done.
     *
     * @param failure what kept some from it
     * @param didSomething whether some part of it is done
     */
    void ended(Optional<Exception> failure, boolean didSomething) {
        if (recorded.isEmpty()) {
            return;
        }
        OpenRun run = recorded.get();
        if (run.record().wasResumed() && !command.json() && (failure.isEmpty() || didSomething)) {
            command.out()
                    .printf(
                            Locale.ROOT,
                            "run %s was resumed: these are the numbers of all of it, since %s%n",
                            id,
                            run.record().firstStarted());
        }
        if (failure.isEmpty()) {
            run.ends(RunRecord.Outcome.DONE);
        } else if (didSomething || run.record().wasResumed()) {
            run.ends(RunRecord.Outcome.UNFINISHED);
            sayHow(
                    run.record(),
                    failure.get() instanceof CheckpointRefusedException unusable
                            ? RunsOutput.anew(unusable.file())
                            : GO_ON);
        } else {
            run.ends(RunRecord.Outcome.FAILED);
        }
    }

    /** What no replica has was never there, and is no table of the history. */
    void forget(Collection<String> tables) {
        recorded.ifPresent(run -> run.forget(tables));
    }

    void interrupted() {
        recorded.ifPresent(run -> sayHow(run.record(), GO_ON));
    }

    /** The last line, and part of the error: not kept from who wants quiet. */
    private void sayHow(RunRecord run, String what) {
        command.out().flush();
        command.environment().err().println(what + " with: " + options.resumeCommand(run));
    }

    void write(JsonGenerator json) throws IOException {
        json.writeStringField("run", id.toString());
        if (recorded.isPresent()) {
            List<Instant> starts = recorded.get().record().started();
            json.writeStringField("since", starts.get(0).toString());
            json.writeNumberField("starts", starts.size());
        }
    }

    @Override
    public void close() throws IOException {
        if (recorded.isPresent()) {
            recorded.get().close();
        }
    }
}
