package io.anneal.cli.command;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.PeerAddress;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all commands that do something share: access to the options of {@code anneal} itself and to the streams. */
public abstract class Subcommand implements Callable<Integer> {
    private static final int BUFFER_PARTS = 2;

    @Spec
    private CommandSpec spec;

    /** Does the work; an exception becomes an {@link ErrorReport}. Returns an {@link ExitCode}. */
    protected abstract int execute() throws IOException, InterruptedException;

    @Override
    public final Integer call() throws IOException, InterruptedException {
        return execute();
    }

    /** What the command ends with when an error stops it, unless the error says {@link ErrorReport#exitCode otherwise}. */
    public int errorExitCode() {
        return ExitCode.NO;
    }

    /** Tells of an error that does not stop the command, as one that does is told. */
    public final ErrorReport tell(Exception failure) {
        return anneal().report(failure);
    }

    private RootCommand anneal() {
        return (RootCommand) spec.root().userObject();
    }

    public final Environment environment() {
        return anneal().environment();
    }

    /** What the layers below take from this process. */
    public final HostEnvironment host() {
        return HostEnvironment.system().withClock(environment().clock());
    }

    /** Where data goes. */
    public final PrintStream out() {
        return environment().out();
    }

    public final boolean json() {
        return anneal().json();
    }

    /** What {@code --memory} says. */
    public final long memoryBytes() {
        return anneal().memoryBytes();
    }

    /** The memory that a command may take for what it sorts or gathers itself. */
    public final long bufferBudgetBytes() {
        return memoryBytes() / BUFFER_PARTS;
    }

    /** The memory that peers and repairs may take; one for the process. */
    public final ByteBudget budget() {
        return anneal().budget();
    }

    /** Says something that is no data, unless quiet is wanted. */
    public final void say(String line) {
        if (!anneal().quiet()) {
            environment().err().println(line);
        }
    }

    /** Seconds since 1970. */
    public final long nowSeconds() {
        return environment().clock().instant().getEpochSecond();
    }

    public final Progress progress(String what) {
        boolean wanted = environment().terminal() && !anneal().quiet();
        return new Progress(wanted ? environment().err() : null, environment().nanoTime(), what);
    }

    /**
     * Reads where an option has this process listen: port 0 is any that is free.
     *
     * @throws ParameterException when it is no {@code host:port}
     */
    public final InetSocketAddress listenAddress(String option, String text) {
        try {
            return PeerAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage(option + ": " + e.getMessage());
        }
    }

    /**
     * Reads where an option says that somebody else listens.
     *
     * @throws ParameterException when it is no {@code host:port}, or one where nobody can
     */
    public final InetSocketAddress peerAddress(String option, String text) {
        InetSocketAddress address = listenAddress(option, text);
        if (address.getPort() == 0) {
            throw usage(option + ": nobody listens at port 0, address=" + text);
        }
        return address;
    }

    /** Options that contradict each other. */
    public final ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
