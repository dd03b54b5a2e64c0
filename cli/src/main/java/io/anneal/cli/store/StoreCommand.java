package io.anneal.cli.store;

import io.anneal.cli.command.CommandGroup;
import java.util.List;
import picocli.CommandLine.Command;

/** The commands about stores. */
@Command(
        name = "store",
        description = "Looks into the directory of a store, checks it, takes snapshots, forgets a failed sync.",
        synopsisSubcommandLabel = "COMMAND")
public final class StoreCommand extends CommandGroup {
    @Override
    protected List<Entry> entries() {
        return List.of(
                new Entry("info", StoreInfoCommand::new),
                new Entry("check", StoreCheckCommand::new),
                new Entry("snapshot", StoreSnapshotCommand::new),
                new Entry("acknowledge", StoreAcknowledgeCommand::new));
    }
}
