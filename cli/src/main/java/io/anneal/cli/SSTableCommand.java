package io.anneal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands about SSTable files. */
@Command(
        name = "sstable",
        description = "Looks into SSTable files and rewrites them; no node is needed.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            SSTableDumpCommand.class,
            SSTableVerifyCommand.class,
            SSTableMetadataCommand.class,
            SSTableScrubCommand.class,
            SSTableRewriteCommand.class,
            SSTableGenerateCommand.class
        })
final class SSTableCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Without a command. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
