package io.anneal.cli.sstable;

import io.anneal.cli.command.CommandGroup;
import java.util.List;
import picocli.CommandLine.Command;

/** The commands about SSTable files. */
@Command(
        name = "sstable",
        description = "Looks into SSTable files and rewrites them; no node is needed.",
        synopsisSubcommandLabel = "COMMAND")
public final class SSTableCommand extends CommandGroup {
    @Override
    protected List<Entry> entries() {
        return List.of(
                new Entry("dump", SSTableDumpCommand::new),
                new Entry("verify", SSTableVerifyCommand::new),
                new Entry("metadata", SSTableMetadataCommand::new),
                new Entry("scrub", SSTableScrubCommand::new),
                new Entry("rewrite", SSTableRewriteCommand::new),
                new Entry("generate", SSTableGenerateCommand::new));
    }
}
