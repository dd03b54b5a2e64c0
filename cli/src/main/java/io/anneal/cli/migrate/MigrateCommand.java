package io.anneal.cli.migrate;

import io.anneal.cli.command.CommandGroup;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

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
        })
public final class MigrateCommand extends CommandGroup {
    @Override
    protected List<Entry> entries() {
        return List.of(
                new Entry("init", MigrateInitCommand::new),
                new Entry("recover", MigrateRecoverCommand::new),
                new Entry("run", MigrateRunCommand::new),
                new Entry("status", MigrateStatusCommand::new),
                new Entry("advance", MigrateAdvanceCommand::new),
                new Entry("rollback", MigrateRollbackCommand::new),
                new Entry("finish", MigrateFinishCommand::new),
                new Entry("note", MigrateNoteCommand::new),
                new Entry("dead", MigrateDeadCommand::new),
                new Entry("history", MigrateHistoryCommand::new),
                new Entry("backfill", MigrateBackfillCommand::new),
                new Entry("verify", MigrateVerifyCommand::new),
                new Entry("page", MigratePageCommand::new));
    }
}
