package io.anneal.cli.repair;

import io.anneal.cli.command.CommandGroup;
import java.util.List;
import picocli.CommandLine.Command;

/** The commands over the agents of a live cluster. */
@Command(
        name = "cluster",
        description = "Repairs a Cassandra cluster that runs. Every node has an 'anneal agent' beside it.",
        synopsisSubcommandLabel = "COMMAND")
public final class ClusterCommand extends CommandGroup {
    @Override
    protected List<Entry> entries() {
        return List.of(
                new Entry("repair", ClusterRepairCommand::new),
                new Entry("status", ClusterStatusCommand::new),
                new Entry("history", ClusterHistoryCommand::new));
    }
}
