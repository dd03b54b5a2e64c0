package io.anneal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands about moving from one store to another, phase by phase. */
@Command(
        name = "migrate",
        description = "Moves a DAO from one store to another through phases 1 to 5; try 'anneal migrate run --auto'.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            MigrateInitCommand.class,
            MigrateRunCommand.class,
            MigrateStatusCommand.class,
            MigrateAdvanceCommand.class,
            MigrateRollbackCommand.class,
            MigrateHistoryCommand.class,
            MigrateBackfillCommand.class,
            MigrateVerifyCommand.class,
            MigratePageCommand.class
        })
final class MigrateCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Without a command. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
