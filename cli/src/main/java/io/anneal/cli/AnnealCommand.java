package io.anneal.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ByteSize;
import io.anneal.cli.command.CommandGroup;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.JsonResult;
import io.anneal.cli.command.OutputException;
import io.anneal.cli.command.RootCommand;
import io.anneal.cli.command.Spelling;
import io.anneal.cli.command.StandardStream;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.demo.DemoCommand;
import io.anneal.cli.migrate.MigrateCommand;
import io.anneal.cli.repair.AgentCommand;
import io.anneal.cli.repair.ClusterCommand;
import io.anneal.cli.repair.RepairCommand;
import io.anneal.cli.repair.ServeCommand;
import io.anneal.cli.rows.DiffCommand;
import io.anneal.cli.rows.ExplainCommand;
import io.anneal.cli.scan.ScanCommand;
import io.anneal.cli.sstable.SSTableCommand;
import io.anneal.cli.store.StoreCommand;
import io.anneal.cli.stream.StreamCommand;
import io.anneal.io.ByteBudget;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code anneal}: the options that all commands have, how errors are told, and the tree of commands. */
@Command(
        name = "anneal",
        description = "Reads, compares, repairs and rewrites Cassandra data, row by row.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = AnnealVersion.class,
        synopsisSubcommandLabel = "COMMAND")
public final class AnnealCommand extends CommandGroup implements RootCommand {
    static final String JSON_OPTION = "--json";

    private static final String LOG_LEVEL_PROPERTY = "org.slf4j.simpleLogger.defaultLogLevel";
    private static final String DRIVER_LOG_LEVEL_PROPERTY = "org.slf4j.simpleLogger.log.com.datastax.oss.driver";
    /** Set by the launcher, since Java cannot tell whether the error stream alone is a terminal. */
    private static final String TERMINAL_PROPERTY = "anneal.terminal";

    /** Below this the JVM itself has hardly room. */
    private static final long MEMORY_MIN_BYTES = 32 << 20;
    /**
     * Of the heap, which {@code --memory} is too. A message that is larger than the budget goes beyond it alone, with a
     * quarter of the heap at most ({@link io.anneal.net.NetLimits#DEFAULT}); the rest is for open files and copies.
     */
    private static final int BUDGET_EIGHTHS = 5;

    /** Levels of the log. */
    enum LogLevel {
        error,
        warn,
        info,
        debug,
        trace
    }

    /** Reads {@code --memory}. */
    static final class MemorySize implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            long bytes = new ByteSize().convert(text);
            if (bytes < MEMORY_MIN_BYTES) {
                throw new TypeConversionException(
                        "'" + text + "' is too little, memoryBytes=" + bytes + ", minBytes=" + MEMORY_MIN_BYTES);
            }
            return bytes;
        }
    }

    private final Environment environment;

    @Option(names = "--stacktrace", scope = ScopeType.INHERIT, description = "Print the stack trace of an error.")
    private boolean stacktrace;

    @Option(
            names = JSON_OPTION,
            scope = ScopeType.INHERIT,
            description = "Print the result as JSON, with a schema number.")
    private boolean json;

    @Option(names = "--quiet", scope = ScopeType.INHERIT, description = "Print results and errors, nothing else.")
    private boolean quiet;

    @Option(
            names = "--log-level",
            scope = ScopeType.INHERIT,
            paramLabel = "LEVEL",
            description = "One of ${COMPLETION-CANDIDATES}; warn by default, with --quiet error.")
    private LogLevel logLevel;

    @Option(
            names = "--memory",
            scope = ScopeType.INHERIT,
            paramLabel = "TOTAL",
            description = "Memory for heap and buffers; ${DEFAULT-VALUE} by default.",
            converter = MemorySize.class,
            defaultValue = "512MiB")
    private long memoryBytes;

    private ByteBudget budget;
    private Optional<JsonResult> result = Optional.empty();
    /** Whether the error that stopped the command is that its output is lost. */
    private boolean isLossTold;

    private AnnealCommand(Environment environment) {
        this.environment = environment;
    }

    /**
     * The tree of commands, ready to {@link CommandLine#execute execute} these arguments.
     *
     * @param args what no argument means is left out; without arguments everything is there
     */
    public static CommandLine commandLine(Environment environment, String... args) {
        AnnealCommand anneal = new AnnealCommand(environment);
        CommandLine commandLine = new CommandLine(anneal);
        anneal.addCommands(commandLine, List.of(args));
        CommandLine bench = commandLine.getSubcommands().get("bench");
        if (bench != null) {
            BenchCommand.replaceJsonOption(bench.getCommandSpec());
        }
        commandLine.setOut(new PrintWriter(environment.out(), true, StandardCharsets.UTF_8));
        commandLine.setErr(new PrintWriter(environment.err(), true, StandardCharsets.UTF_8));
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.registerConverter(Path.class, AnnealCommand::path);
        commandLine.setParameterExceptionHandler(anneal::reportUsage);
        commandLine.setExecutionStrategy(anneal::execute);
        return commandLine;
    }

    /** An empty one would be the directory in which somebody stands. */
    private static Path path(String text) {
        if (text.isEmpty()) {
            throw new TypeConversionException("path is empty");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("path is none, reason=" + e.getMessage());
        }
    }

    private int execute(ParseResult parsed) {
        System.setProperty(LOG_LEVEL_PROPERTY, logLevel().name());
        // What it warns of is in the errors that it ends with, which are said in one line.
        System.setProperty(
                DRIVER_LOG_LEVEL_PROPERTY, (logLevel() == LogLevel.warn ? LogLevel.error : logLevel()).name());
        budget = ByteBudget.of(memoryBytes / 8 * BUDGET_EIGHTHS);
        int exitCode = new CommandLine.RunLast().execute(parsed);
        return heard(exitCode, chosen(parsed));
    }

    /** A stream for printing hides errors: whoever reads what was cut off must not take it for the whole. */
    private int heard(int exitCode, CommandLine command) {
        Optional<OutputException> loss = StandardStream.loss(environment.out());
        if (loss.or(() -> StandardStream.loss(environment.err()))
                .filter(OutputException::isClosedPipe)
                .isPresent()) {
            return ExitCode.CLOSED_PIPE;
        }
        if (loss.isPresent() && !isLossTold) {
            return exitCode(report(loss.get()), command);
        }
        return exitCode;
    }

    private LogLevel logLevel() {
        if (logLevel != null) {
            return logLevel;
        }
        return quiet ? LogLevel.error : LogLevel.warn;
    }

    private int reportUsage(ParameterException thrown, String[] args) {
        ParameterException failure = leftmost(thrown);
        CommandSpec command = failure.getCommandLine().getCommandSpec();
        ErrorReport report = ErrorReport.usage(message(failure), command.qualifiedName());
        environment.err().println(report.line());
        if (stacktrace) {
            failure.printStackTrace(environment.err());
        }
        if (json || wantsJson(failure.getCommandLine(), args)) {
            json = true;
            endWith(report, Subcommand.nameOf(command));
        }
        return heard(ExitCode.USAGE, failure.getCommandLine());
    }

    /**
     * What is not known is told before what is missing, and before a wrong value that stands behind it: with {@code --dta DIR} it is not
     * {@code --data} that is forgotten. Of what stands behind a wrong value nothing is known.
     */
    private static ParameterException leftmost(ParameterException failure) {
        ParameterException first = failure;
        for (CommandLine command = failure.getCommandLine(); command != null; command = command.getParent()) {
            List<String> unknown = command.getUnmatchedArguments();
            if (!unknown.isEmpty()) {
                first = new UnmatchedArgumentException(command, unknown);
            }
        }
        return first;
    }

    /** What is wrong; of a command or an option that is none, also which may have been meant. */
    private static String message(ParameterException failure) {
        if (!(failure instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return failure.getMessage();
        }
        String word = unmatched.getUnmatched().get(0);
        CommandLine command = failure.getCommandLine();
        if (unmatched.isUnknownOption()) {
            Set<String> options = command.getCommandSpec().optionsMap().keySet();
            return failure.getMessage() + didYouMean(word.split("=", 2)[0], options);
        }
        if (command.getCommand() instanceof CommandGroup group) {
            return "no such command: " + word + didYouMean(word, group.names()) + "; commands: "
                    + String.join(", ", group.names());
        }
        return failure.getMessage();
    }

    private static String didYouMean(String word, Collection<String> names) {
        return Spelling.nearest(word, names)
                .map(name -> ", did you mean " + name)
                .orElse("");
    }

    /** What is wrong may stand before the option, which nobody has read then. */
    private static boolean wantsJson(CommandLine command, String[] args) {
        OptionSpec option = command.getCommandSpec().findOption(JSON_OPTION);
        return option != null && option.arity().max() == 0 && List.of(args).contains(JSON_OPTION);
    }

    /** What a command that an error stopped ends with. */
    private static int exitCode(ErrorReport error, CommandLine command) {
        return error.exitCode() == ExitCode.NO && command.getCommand() instanceof Subcommand stopped
                ? stopped.errorExitCode()
                : error.exitCode();
    }

    @Override
    public ErrorReport report(Exception failure) {
        return told(failure);
    }

    @Override
    public JsonGenerator resultFields(String command) throws IOException {
        if (result.isEmpty()) {
            result = Optional.of(new JsonResult(environment.out(), command));
        }
        return result.get().fields();
    }

    @Override
    public void endResult(int exitCode) throws IOException {
        if (result.isPresent() && exitCode == ExitCode.INTERRUPTED) {
            result.get().interrupted();
        }
        if (result.isPresent()) {
            JsonResult whole = result.get();
            result = Optional.empty();
            whole.end();
        }
    }

    @Override
    public int stopped(Subcommand command, Throwable failure) {
        if (failure instanceof OutputException lost && lost.isClosedPipe()) {
            return ExitCode.CLOSED_PIPE;
        }
        isLossTold = failure instanceof OutputException;
        ErrorReport report = told(failure);
        if (json) {
            endWith(report, command.commandName());
        }
        return report.exitCode() == ExitCode.NO ? command.errorExitCode() : report.exitCode();
    }

    /** Ends the result by an error, after what was written of it. */
    private void endWith(ErrorReport error, String command) {
        try {
            resultFields(command);
            result.orElseThrow().error(error);
            endResult(error.exitCode());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Prints the line of an error. */
    private ErrorReport told(Throwable failure) {
        ErrorReport report = ErrorReport.of(failure);
        environment.out().flush();
        environment.err().println(report.line());
        if (stacktrace) {
            failure.printStackTrace(environment.err());
        }
        return report;
    }

    @Override
    public Environment environment() {
        return environment;
    }

    @Override
    public boolean json() {
        return json;
    }

    @Override
    public boolean quiet() {
        return quiet;
    }

    @Override
    public long memoryBytes() {
        return memoryBytes;
    }

    @Override
    public ByteBudget budget() {
        return budget;
    }

    @Override
    protected List<Entry> entries() {
        return List.of(
                new Entry("demo", DemoCommand::new),
                new Entry("sstable", SSTableCommand::new),
                new Entry("store", StoreCommand::new),
                new Entry("diff", DiffCommand::new),
                new Entry("explain", ExplainCommand::new),
                new Entry("scan", ScanCommand::new),
                new Entry("serve", ServeCommand::new),
                new Entry("repair", RepairCommand::new),
                new Entry("agent", AgentCommand::new),
                new Entry("cluster", ClusterCommand::new),
                new Entry("stream", StreamCommand::new),
                new Entry("migrate", MigrateCommand::new),
                new Entry("bench", BenchCommand::new));
    }

    /** The command that the command line named. */
    private static CommandLine chosen(ParseResult whole) {
        ParseResult parsed = whole;
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        return parsed.commandSpec().commandLine();
    }

    public static void main(String[] args) {
        Environment environment = new Environment(
                StandardStream.out(),
                StandardStream.err(),
                Clock.systemUTC(),
                System::nanoTime,
                Boolean.getBoolean(TERMINAL_PROPERTY),
                Path.of(Optional.ofNullable(System.getenv("HOME"))
                        .filter(home -> Path.of(home).isAbsolute())
                        .orElse(System.getProperty("user.home"))));
        int exitCode = commandLine(environment, args).execute(args);
        if (Boolean.getBoolean(ArchivedClasses.PROPERTY)) {
            ArchivedClasses.load();
        }
        environment.out().flush();
        System.exit(exitCode);
    }
}
