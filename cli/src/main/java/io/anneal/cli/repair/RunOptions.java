package io.anneal.cli.repair;

import io.anneal.cli.command.Counted;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.RunRefusedException;
import io.anneal.cli.command.ShellWord;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.runs.RunRecord;
import io.anneal.cli.runs.RunRecords;
import io.anneal.cli.runs.RunsOutput;
import io.anneal.repair.DriftSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The options about runs of {@code anneal repair}: where they are recorded, which of them to go on with, what to tell of them. And the
 * command line as words that another run can take.
 */
final class RunOptions {
    private static final String STATE = "--state";
    private static final String RESUME = "--resume";
    private static final String STATUS = "--status";
    private static final String HISTORY = "--history";
    private static final String FORGET = "--forget";
    private static final String TABLE = "--table";
    private static final String SEED = "--seed";
    private static final String MEMORY = "--memory";

    /** These say how a run is done, and not what it does. */
    private static final Set<String> BESIDE_RESUME = Set.of(
            STATE,
            RESUME,
            "--parallel",
            "--rate",
            "--window",
            "--lease",
            "--token-file",
            "--tls-cert",
            "--tls-key",
            "--tls-ca");

    private static final Set<String> BESIDE_QUESTIONS =
            Set.of(STATE, STATUS, HISTORY, TABLE, "--dir", "--name", "--replica");

    private static final Set<String> BESIDE_QUESTIONS_OF_AGENTS =
            Set.of(STATE, STATUS, HISTORY, "--agent", "--token-file", "--tls-cert", "--tls-key", "--tls-ca");

    /** What the record has in words of its own, or is not of the run. */
    private static final Set<String> NOT_RECORDED = Set.of(STATE, RESUME, TABLE, SEED);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = RESUME,
            paramLabel = "ID",
            arity = "0..1",
            fallbackValue = "",
            description = "Go on with a run that was interrupted, or failed in part: what it did is not done again. The"
                    + " first eight characters of its id do, and none where there is one such run. All that it repairs is in"
                    + " its record.")
    private String resume;

    @Option(
            names = STATUS,
            description =
                    "Show runs that are not finished, those of the tables and replicas if any are given; exit with 1 if"
                            + " there are any.")
    private boolean status;

    @Option(
            names = HISTORY,
            description =
                    "Show runs that have ended, and until when each table is covered by them; exit with 1 if one was"
                            + " never repaired as a whole, or not within its gc_grace.")
    private boolean history;

    @Option(
            names = STATE,
            paramLabel = "DIR",
            description = "Where runs are recorded; .anneal/repairs in the user's home by default.")
    private Path state;

    @Option(
            names = FORGET,
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description =
                    "Forget what runs that are over say of a table, as of one that was dropped: --history tells of it"
                            + " no more.")
    private QualifiedTable forget;

    boolean isForget() {
        return forget != null;
    }

    /** Forgets a table; returns what the command exits with. */
    int forget(Subcommand asking) throws IOException {
        requireDirectory();
        return forget(asking, records(asking), forget);
    }

    static int forget(Subcommand asking, RunRecords records, QualifiedTable table) throws IOException {
        int runs = records.forget(table);
        if (asking.json()) {
            asking.resultFields().writeStringField("forgotten", table.toString());
            asking.resultFields().writeNumberField("runs", runs);
        } else {
            asking.out().println(table + " is forgotten, of " + Counted.of(runs, "run"));
        }
        return ExitCode.YES;
    }

    boolean isStatus() {
        return status;
    }

    boolean isHistory() {
        return history;
    }

    boolean isResume() {
        return resume != null;
    }

    /**
     * The run that is to be gone on with.
     *
     * @throws RunRefusedException when there is none, or it must not be, or is the other command's
     */
    RunRecord resumed(Subcommand asking) throws IOException {
        RunRecords records = records(asking);
        RunRecord run = (resume.isEmpty() ? records.theResumable(isOverAgents()) : records.find(resume)).record();
        if (run.hold().isPresent() != isOverAgents()) {
            throw new RunRefusedException("run is another command's, go on with it by: " + resumeCommand(run));
        }
        return run;
    }

    /** Whether it asks about runs, or says which, so that the options are no repair's. */
    boolean isAboutRuns() {
        return status || history || isResume() || isForget();
    }

    /** Refuses what does not go with what is asked for. */
    void addChecks(Subcommand refusing, OptionChecks checks) {
        checks.add(
                        List.of(RESUME, STATUS, HISTORY, FORGET),
                        () -> refusing.require(
                                (status ? 1 : 0) + (history ? 1 : 0) + (isResume() ? 1 : 0) + (isForget() ? 1 : 0) == 1,
                                "--resume, --status, --history and --forget exclude each other"))
                .add(FORGET, () -> refuseOthers(refusing, Set.of(STATE, FORGET), FORGET, "takes a table, and --state"))
                .add(STATUS, () -> refuseBesideQuestion(refusing, STATUS))
                .add(HISTORY, () -> refuseBesideQuestion(refusing, HISTORY))
                .add(
                        RESUME,
                        () -> refuseOthers(
                                refusing, BESIDE_RESUME, RESUME, "takes what is repaired from the record of the run"));
    }

    private void refuseBesideQuestion(Subcommand refusing, String question) {
        if (isOverAgents()) {
            refuseOthers(refusing, BESIDE_QUESTIONS_OF_AGENTS, question, "takes only tables and --agent");
        } else {
            refuseOthers(refusing, BESIDE_QUESTIONS, question, "takes only --table, --dir and --replica");
        }
    }

    /** Whether it is the command of a cluster, which has its tables without an option. */
    private boolean isOverAgents() {
        return command.findOption(TABLE) == null;
    }

    /** Refuses all but these and where runs are recorded. */
    void refuseBeside(Subcommand refusing, String option, Set<String> allowed) {
        Set<String> all = new HashSet<>(allowed);
        all.add(STATE);
        all.add(option);
        refuseOthers(refusing, all, option, "takes the name of a run");
    }

    /** Whether it stands on the command line. */
    boolean isGiven(String option) {
        return given().stream().anyMatch(one -> one.longestName().equals(option));
    }

    private void refuseOthers(Subcommand refusing, Set<String> allowed, String option, String why) {
        Set<String> others = given().stream()
                .map(OptionSpec::longestName)
                .filter(name -> !allowed.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        if (!others.isEmpty()) {
            throw refusing.usage(option + " " + why + ": leave out " + String.join(", ", others));
        }
    }

    /** Those of the repair's own options that stand on the command line, each once. */
    private List<OptionSpec> given() {
        return matched().stream().filter(option -> !option.inherited()).toList();
    }

    private List<OptionSpec> matched() {
        return command.commandLine().getParseResult().matchedOptions().stream()
                .distinct()
                .toList();
    }

    RunRecords records(Subcommand asking) {
        return new RunRecords(directory(asking), asking.environment().clock(), asking::say);
    }

    Path directory(Subcommand asking) {
        return state != null ? state : defaultDirectory(asking);
    }

    /** Where runs are recorded unless it is said. */
    static Path defaultDirectory(Subcommand asking) {
        return asking.environment().home().resolve(".anneal").resolve("repairs");
    }

    /** What was said, as it must be said again from any directory, with the tables that it meant, and the slices of a sample. */
    List<String> recorded(List<String> tables, Optional<DriftSample> sample) {
        List<String> words = new ArrayList<>();
        given().stream()
                .filter(option -> !NOT_RECORDED.contains(option.longestName()))
                .forEach(option -> words.addAll(words(option)));
        tables.forEach(table -> words.add(isOverAgents() ? table : TABLE + "=" + table));
        sample.ifPresent(slices -> words.add(SEED + "=" + slices.seed()));
        return words;
    }

    private static List<String> words(OptionSpec option) {
        if (option.arity().max() == 0) {
            return List.of(option.longestName());
        }
        boolean isPath = option.type() == Path.class
                || Arrays.asList(option.auxiliaryTypes()).contains(Path.class);
        return option.originalStringValues().stream()
                .map(value -> option.longestName() + "="
                        + (isPath ? Path.of(value).toAbsolutePath().normalize() : value))
                .toList();
    }

    /** Makes the command line that of a recorded run, with what was said beside {@code --resume}. */
    void apply(RunRecord run) {
        List<OptionSpec> beside = matched();
        Set<String> said = beside.stream().map(OptionSpec::longestName).collect(Collectors.toSet());
        List<String> words = new ArrayList<>();
        beside.stream()
                .filter(option -> !option.longestName().equals(RESUME))
                .forEach(option -> words.addAll(words(option)));
        run.arguments().stream()
                .filter(word -> !said.contains(word.split("=", 2)[0]))
                .forEach(words::add);
        command.commandLine().parseArgs(words.toArray(String[]::new));
    }

    /** What shows the runs that this command knows. */
    String statusCommand() {
        return words(isOverAgents()) + " " + STATUS;
    }

    /**
     * Of a directory that was mistyped nothing can be told.
     *
     * @throws NoSuchFileException when one is given that is not there
     */
    void requireDirectory() throws NoSuchFileException {
        requireThere(state);
    }

    /** The same of a directory as it was given, null if none was. */
    static void requireThere(Path given) throws NoSuchFileException {
        if (given != null && !Files.exists(given)) {
            throw new NoSuchFileException(given.toString(), null, "no run was ever recorded there");
        }
    }

    private String words(boolean overAgents) {
        StringBuilder words = new StringBuilder(overAgents ? "anneal cluster repair" : "anneal repair");
        matched().stream()
                .filter(option -> Set.of(STATE, MEMORY).contains(option.longestName()))
                .flatMap(option -> words(option).stream())
                .forEach(word -> words.append(' ').append(ShellWord.of(word)));
        return words.toString();
    }

    /** What has agents let go of a run. */
    String abandonCommand(RunRecord run) {
        return words(true) + " --abandon " + RunsOutput.shortId(run);
    }

    /** What goes on with a run, which may be of the other command: both know all records. */
    String resumeCommand(RunRecord run) {
        return words(run.hold().isPresent()) + " " + RESUME + " " + RunsOutput.shortId(run);
    }
}
