package io.anneal.cli.stream;

import io.anneal.cli.command.CommandGroup;
import java.util.List;
import picocli.CommandLine.Command;

/** The commands that send data from node to node. */
@Command(
        name = "stream",
        description = "Has nodes fetch whole ranges of tables from other nodes. Every node runs 'anneal serve'.",
        synopsisSubcommandLabel = "COMMAND")
public final class StreamCommand extends CommandGroup {
    @Override
    protected List<Entry> entries() {
        return List.of(
                new Entry("transfer", StreamTransferCommand::new),
                new Entry("rebuild", StreamRebuildCommand::new),
                new Entry("decommission", StreamDecommissionCommand::new),
                new Entry("add-node", StreamAddNodeCommand::new));
    }
}
