package io.anneal.cli.command;

import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A command that holds other commands and does nothing itself. An annotation would name them in less, but picocli
 * reflects on all that an annotation names: for the whole tree longer than most commands run.
 */
public abstract class CommandGroup implements Runnable {
    /** A command in its group. */
    public record Entry(String name, Supplier<Object> command) {}

    @Spec
    private CommandSpec spec;

    /** In the order of the help. */
    protected abstract List<Entry> entries();

    /** The names of all its commands. */
    public final List<String> names() {
        return entries().stream().map(Entry::name).toList();
    }

    /** Adds what the arguments may mean, to all depths; of no arguments everything. */
    protected final void addCommands(CommandLine commandLine, List<String> args) {
        boolean wantsAll = args.isEmpty() || args.stream().anyMatch(CommandGroup::mayMeanUnnamed);
        for (Entry entry : entries()) {
            if (wantsAll || args.contains(entry.name)) {
                commandLine.addSubcommand(entry.name, entry.command.get());
                CommandLine added = commandLine.getSubcommands().get(entry.name);
                if (added.getCommand() instanceof CommandGroup group) {
                    group.addCommands(added, args);
                }
            }
        }
    }

    /** Help lists all commands, and a file of arguments names any. */
    private static boolean mayMeanUnnamed(String arg) {
        boolean isShort = arg.startsWith("-") && !arg.startsWith("--");
        return arg.startsWith("--help") || isShort && arg.contains("h") || arg.startsWith("@");
    }

    /** Without a command. */
    @Override
    public final void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
