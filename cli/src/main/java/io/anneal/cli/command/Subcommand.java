package io.anneal.cli.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.PeerAddress;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all commands that do something share: access to the options of {@code anneal} itself and to the streams. */
public abstract class Subcommand implements Callable<Integer> {
    private static final int BUFFER_PARTS = 2;

    @Spec
    private CommandSpec spec;

    private Optional<StopSignal> stop = Optional.empty();

    /** Does the work; an exception becomes an {@link ErrorReport}. Returns an {@link ExitCode}. */
    protected abstract int execute() throws IOException, InterruptedException;

    @Override
    public final Integer call() throws IOException {
        try {
            checkOptions();
            int exitCode = execute();
            anneal().endResult(exitCode);
            return exitCode;
        } catch (ParameterException e) {
            throw e;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            // Whatever stopped it: an exit code of the JVM's own would be taken for an answer.
            return anneal().stopped(this, e);
        } finally {
            // The process stays until the result is whole.
            stop.ifPresent(StopSignal::settled);
        }
    }

    /** Has the signal that ends the process interrupt this command, which then puts things in order. */
    public final void stopOnSignal() {
        stop = Optional.of(StopSignal.interrupting(Thread.currentThread()));
    }

    /** @param gently has the command end soon; if it has not after some seconds, it is interrupted */
    public final void stopOnSignal(Runnable gently) {
        stop = Optional.of(StopSignal.interrupting(Thread.currentThread(), gently));
    }

    /** Returns what the command ends with when an error stops it, unless the error says {@link ErrorReport#exitCode otherwise}. */
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

    /** Returns the fields of the result as JSON, one object, which ends with the command. */
    public final JsonGenerator resultFields() throws IOException {
        return anneal().resultFields(commandName());
    }

    /** Ends the result of a command that goes on for as long as nobody stops it. */
    public final void endResult() throws IOException {
        anneal().endResult(ExitCode.YES);
        out().flush();
    }

    /** How users name the command, without {@code anneal}. */
    public final String commandName() {
        return nameOf(spec);
    }

    /** How users name a command, without {@code anneal}, which alone is itself. */
    public static String nameOf(CommandSpec command) {
        String name = command.qualifiedName();
        return name.substring(name.indexOf(' ') + 1);
    }

    /**
     * Ends a command whose output is lost: a stream for printing hides errors, so that without this it would go on.
     *
     * @throws OutputException when nobody reads it any more, or it has no room
     */
    public final void checkOutput() throws OutputException {
        Optional<OutputException> loss = StandardStream.loss(out());
        if (loss.isPresent()) {
            throw loss.get();
        }
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

    /** Says what is checked of options before anything is done: no check opens a file or asks a peer. */
    protected void addChecks(OptionChecks checks) {}

    /** Checks the options that are given, in the order in which they were typed. */
    protected final void checkOptions() {
        OptionChecks checks = new OptionChecks();
        addChecks(checks);
        checks.run(spec.commandLine().getParseResult().matchedArgs());
    }

    /** @param otherwise what a usage error says where it is not right */
    public final void require(boolean isRight, String otherwise) {
        if (!isRight) {
            throw usage(otherwise);
        }
    }

    /** Refuses a directory where an option takes a file: what reading it fails with names neither. */
    public final void requireFile(String option, Path file) {
        require(!Files.isDirectory(file), option + " takes a file, not a directory, path=" + file);
    }

    /** Reads what an option says; what is wrong with it is a usage error that names the option. */
    public final <T> T read(String option, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw usage(option + ": " + e.getMessage());
        }
    }

    /** Options that contradict each other. */
    public final ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
