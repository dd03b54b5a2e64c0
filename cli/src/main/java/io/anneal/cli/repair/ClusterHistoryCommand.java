package io.anneal.cli.repair;

import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.runs.RunRecords;
import io.anneal.cli.runs.RunsOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code anneal cluster history}: what {@code anneal cluster repair --history} tells, where operators look for it. */
@Command(
        name = "history",
        description =
                "Shows repairs that have ended, and until when each table is covered by them; exits with 1 if one was"
                        + " never repaired as a whole, or not within its gc_grace.")
public final class ClusterHistoryCommand extends Subcommand {
    @Parameters(
            paramLabel = "KS[.TABLE]",
            arity = "0..*",
            description = "What to tell of: a keyspace, or one table of it; repeatable. All by default.")
    private List<String> wanted = List.of();

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Where runs are recorded; .anneal/repairs in the user's home by default.")
    private Path state;

    @Option(
            names = "--forget",
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "Forget what runs that are over say of a table, as of one that was dropped.")
    private QualifiedTable forget;

    @Override
    public int errorExitCode() {
        return ExitCode.UNANSWERED;
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add("KS[.TABLE]", () -> ClusterTables.of(this, wanted))
                .add("--forget", () -> require(wanted.isEmpty(), "--forget takes one table: leave out " + wanted));
    }

    @Override
    protected int execute() throws IOException {
        RunOptions.requireThere(state);
        RunRecords records = new RunRecords(
                state != null ? state : RunOptions.defaultDirectory(this),
                environment().clock(),
                this::say);
        if (forget != null) {
            return RunOptions.forget(this, records, forget);
        }
        return new PastRuns(
                        this,
                        records,
                        run -> "anneal cluster repair --resume " + RunsOutput.shortId(run),
                        ClusterTables.of(this, wanted),
                        List.of())
                .show(true);
    }
}
