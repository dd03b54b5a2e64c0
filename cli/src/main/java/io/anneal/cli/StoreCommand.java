package io.anneal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands about stores. */
@Command(
        name = "store",
        description = "Looks into the directory of a store, checks it, takes snapshots.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {StoreInfoCommand.class, StoreCheckCommand.class, StoreSnapshotCommand.class})
final class StoreCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Without a command. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
