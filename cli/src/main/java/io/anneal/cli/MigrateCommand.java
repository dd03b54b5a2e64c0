package io.anneal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The commands about moving from one store to another, phase by phase. */
@Command(
        name = "migrate",
        description = "Moves a DAO from one store to another through phases 1 to 5; try 'anneal migrate run --auto'.",
        synopsisSubcommandLabel = "COMMAND",
        scope = ScopeType.INHERIT,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:Done.",
            "1:An error, or the stores or an answer differ.",
            "2:The command line is wrong.",
            "3:A gate is not met; nothing was changed.",
            "4:'run --auto' turned back or did not come to its end."
        },
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
