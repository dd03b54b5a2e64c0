package io.anneal.cli.repair;

import io.anneal.agent.AgentKeyspace;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.GuardedTables;
import io.anneal.cli.command.ClusterRefusedException;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.RunRefusedException;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.runs.HoldState;
import io.anneal.cli.runs.KnownRun;
import io.anneal.cli.runs.OpenRun;
import io.anneal.cli.runs.RecordedReplica;
import io.anneal.cli.runs.RepairWindow;
import io.anneal.cli.runs.RunRecord;
import io.anneal.cli.runs.RunRecords;
import io.anneal.cli.runs.RunSettings;
import io.anneal.cli.runs.RunsOutput;
import io.anneal.job.JobAbortedException;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code anneal cluster repair}: makes the replicas of a cluster that runs equal, row by row. */
@Command(
        name = "repair",
        description =
                "Finds the rows in which the nodes of a Cassandra cluster differ, and has each node import what it"
                        + " lacks. Exits with 1 if a dry run finds that they differ, or a node did not import; with 5 if an"
                        + " error stopped it.")
public final class ClusterRepairCommand extends Subcommand {
    private static final String PARALLEL = "--parallel";
    private static final String RATE = "--rate";
    private static final String WINDOW = "--window";
    private static final Set<String> SETTINGS = Set.of(PARALLEL, RATE, WINDOW);
    /** A wrapper may always say them. */
    private static final Set<String> CONNECTION = Set.of("--token-file", "--tls-cert", "--tls-key", "--tls-ca");

    private static final String ALL_DAY = "all-day";

    @Parameters(
            paramLabel = "KS[.TABLE]",
            arity = "0..*",
            description = "What to repair: a keyspace, or one table of it, by names as they are stored, without quotes;"
                    + " repeatable. With --status and --history what to tell of.")
    private List<String> wanted = List.of();

    @Option(
            names = "--agent",
            paramLabel = "HOST:PORT",
            description =
                    "An agent of the cluster: its node tells the ring. Agents of the other nodes are found at their"
                            + " nodes' addresses, at the same port; repeat it for those that listen elsewhere. With"
                            + " --status: whose hold to show, too.")
    private List<String> agents = List.of();

    @Option(
            names = "--dc",
            paramLabel = "NAME",
            description = "Repair among the replicas of this data centre alone; repeatable.")
    private List<String> dataCentres = List.of();

    @Option(
            names = "--dry-run",
            description = "Find and count differences, import nothing; exit with 1 if there are any.")
    private boolean dryRun;

    @Option(
            names = "--rows",
            description =
                    "Name the rows that differ; in a dry run with the cells that differ, and when they were written.")
    private boolean namesRows;

    @Option(
            names = "--include-recent",
            description = "Compare rows and deletions of the last 10 seconds before the first snapshot, too. By default"
                    + " they are left out, and counted: they may be on their way still.")
    private boolean includeRecent;

    @Option(
            names = "--read-all",
            description =
                    "Read every row. By default agents do not read again what they know from an earlier repair to be"
                            + " equal, where no SSTable with rows of it has come or gone since.")
    private boolean readsAll;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            defaultValue = "4",
            description = "Parts of the ranges that are repaired at once: 1 to " + Repair.PARALLEL_MAX
                    + ", ${DEFAULT-VALUE} by default.")
    private int parallel;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "0",
            description = "Rows a second at most that are read at one replica; 0, the default, is as fast as it goes.")
    private long rowsPerSecond;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "900",
            description =
                    "How long agents hold the tables after the last sign of this command, should it be killed or fail: 5"
                            + " to 3600, ${DEFAULT-VALUE} by default. So long it can be gone on with.")
    private long leaseSeconds;

    @Option(
            names = "--older-than-gc-grace",
            paramLabel = "WHAT",
            defaultValue = "REPORT",
            description =
                    "What becomes of rows and cells that not all replicas hold, and that are older than gc_grace, so that"
                            + " their deletion may be purged: refuse imports nothing of their table, report counts and copies"
                            + " them, copy does not look. report by default.")
    private StagedReview.OldRows oldRows;

    @Option(
            names = "--ghosts-max",
            paramLabel = "N",
            defaultValue = "100000",
            description =
                    "Deletions older than gc_grace that one node may get for a table; of a table with more nothing is"
                            + " imported. ${DEFAULT-VALUE} by default.")
    private long ghostsMax;

    @Option(
            names = "--no-fence",
            description =
                    "Do not keep compactions from purging deletions, where the agents' JMX role may not: imports then"
                            + " have half of the time, and deletions are kept by nothing else.")
    private boolean noFence;

    @Option(
            names = "--window",
            paramLabel = "HH:MM-HH:MM",
            description =
                    "Compare in these hours alone, by this machine's clock, as 22:00-06:00; all-day, the default, is"
                            + " all of them.")
    private String window = ALL_DAY;

    @Option(
            names = "--change",
            paramLabel = "ID",
            arity = "0..1",
            fallbackValue = "",
            description =
                    "Change --rate, --parallel or --window of a run that is going on; without an id of the only one.")
    private String change;

    @Option(
            names = "--abandon",
            paramLabel = "ID",
            arity = "0..1",
            fallbackValue = "",
            description =
                    "Have agents let go of a run at once that was interrupted or failed; without an id of the only"
                            + " one.")
    private String abandon;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Mixin
    private RunOptions runs = new RunOptions();

    @Override
    public int errorExitCode() {
        return ExitCode.UNANSWERED;
    }

    @Override
    protected int execute() throws IOException {
        try {
            return answer();
        } catch (RunRefusedException e) {
            throw e.shownBy(runs.statusCommand());
        }
    }

    private int answer() throws IOException {
        if (runs.isStatus() || runs.isHistory()) {
            return lookBack();
        }
        if (runs.isForget()) {
            requireNoTables("--forget");
            return runs.forget(this);
        }
        if (change != null) {
            return changeRun();
        }
        if (abandon != null) {
            return abandonRun();
        }
        if (!runs.isResume()) {
            return repair(Optional.empty());
        }
        requireNoTables("--resume");
        RunRecord run = runs.resumed(this);
        Set<String> given = SETTINGS.stream().filter(runs::isGiven).collect(Collectors.toSet());
        runs.apply(run);
        checkOptions();
        return repair(Optional.of(new Resumed(run, given)));
    }

    /**
     * A run that is gone on with.
     *
     * @param given which of the settings were said anew
     */
    private record Resumed(RunRecord run, Set<String> given) {}

    private void requireNoTables(String option) {
        if (!wanted.isEmpty()) {
            throw usage(option + " takes what is repaired from the record of the run: leave out " + wanted);
        }
    }

    private void requireText(String option) {
        if (json()) {
            throw usage(option + " is told as text: leave out --json");
        }
    }

    private int lookBack() throws IOException {
        List<QualifiedTable> tables = ClusterTables.of(this, wanted);
        if (!agents.isEmpty()) {
            security.require(this);
        }
        runs.requireDirectory();
        int exitCode =
                new PastRuns(this, runs.records(this), runs::resumeCommand, tables, List.of()).show(runs.isHistory());
        if (agents.isEmpty()) {
            return exitCode;
        }
        try (CommandNode node = security.node(this)) {
            int held = ClusterStatusCommand.show(this, node, agents);
            return held == ExitCode.YES ? exitCode : held;
        }
    }

    private int changeRun() throws IOException {
        runs.refuseBeside(
                this,
                "--change",
                Stream.concat(SETTINGS.stream(), CONNECTION.stream()).collect(Collectors.toSet()));
        requireNoTables("--change");
        requireText("--change");
        if (SETTINGS.stream().noneMatch(runs::isGiven)) {
            throw usage("--change goes with --rate, --parallel or --window");
        }
        RunRecords records = runs.records(this);
        KnownRun run = change.isEmpty() ? records.theOne(true, KnownRun.State.RUNNING) : records.known(change);
        RunSettings now = records.change(run, before -> changed(before, runs::isGiven));
        out().println("run " + RunsOutput.shortId(run.record()) + " is to work so: " + now);
        out().println("it does when the parts that are at work have ended; --status tells what is in force");
        return ExitCode.YES;
    }

    private RunSettings changed(RunSettings before, Predicate<String> isGiven) {
        return new RunSettings(
                isGiven.test(PARALLEL) ? parallel : before.parallel(),
                isGiven.test(RATE) ? rowsPerSecond : before.rowsPerSecond(),
                isGiven.test(WINDOW) ? window() : before.window());
    }

    private int abandonRun() throws IOException {
        runs.refuseBeside(this, "--abandon", CONNECTION);
        requireNoTables("--abandon");
        requireText("--abandon");
        RunRecords records = runs.records(this);
        RunRecord run = (abandon.isEmpty() ? records.theHeld() : records.known(abandon)).record();
        if (run.hold().isEmpty()) {
            throw new RunRefusedException("no agent holds anything for the run, run=" + run.id());
        }
        runs.apply(run);
        security.require(this);
        try (OpenRun open = records.end(run.id());
                CommandNode node = security.node(this)) {
            List<AgentPeer> left = letGo(open, node, "it was abandoned");
            left.forEach(agent -> out().println(notLetGo(agent)));
            out().println("run " + RunsOutput.shortId(run)
                    + (left.isEmpty()
                            ? " is let go"
                            : " is not let go by all; ask again with: "
                                    + RunsOutput.abandoning(runs.resumeCommand(run))));
            return left.isEmpty() ? ExitCode.YES : ExitCode.NO;
        }
    }

    private static String notLetGo(AgentPeer agent) {
        return agent.name()
                + ": could not be asked; it lets go when its lease ends, or, if it is not running, when it is"
                + " started again";
    }

    /** Has all agents of a run let go, and records who could not be asked; the run has ended by that. */
    private static List<AgentPeer> letGo(OpenRun open, CommandNode node, String why) throws IOException {
        RunRecord run = open.record();
        List<AgentPeer> left = ClusterHold.letGo(
                run.replicas().stream()
                        .map(replica -> new AgentPeer(node.node().peers(), RepairRunner.address(replica.place())))
                        .toList(),
                run.id());
        open.tells(state -> state.leaving(left.stream().map(AgentPeer::name).toList()));
        if (run.isUnfinished()) {
            open.tells(state -> state.failing(why));
            open.ends(RunRecord.Outcome.FAILED);
        }
        return left;
    }

    /** Has agents let go of a run that can't be gone on with for good: they would hold in vain. */
    private void endInVain(RunRecord run, CommandNode node, Exception why) throws IOException {
        try (OpenRun open = runs.records(this).end(run.id())) {
            letGo(open, node, ErrorReport.of(why).message()).forEach(agent -> say(notLetGo(agent)));
        }
    }

    private int repair(Optional<Resumed> resumed) throws IOException {
        requireAll();
        UUID id = resumed.map(one -> one.run().id()).orElseGet(() -> host().newId());
        AtomicReference<ClusterSession> session = new AtomicReference<>();
        stopOnSignal(() -> Optional.ofNullable(session.get()).ifPresent(ClusterSession::stop));
        Optional<OpenRun> record = Optional.empty();
        try (CommandNode node = security.node(this)) {
            List<ClusterPart> parts = resumed.isPresent() ? planAgain(node, resumed.get()) : plan(node);
            RunSettings settings = new RunSettings(parallel, rowsPerSecond, window());
            record = resumed.isPresent() ? Optional.of(resume(resumed.get())) : start(id, parts, settings);
            ClusterResults results =
                    new ClusterResults(this, id, record, record.map(run -> runs.resumeCommand(run.record())), dryRun);
            ClusterSession ours = new ClusterSession(
                    this,
                    node,
                    parts,
                    results,
                    record,
                    new ClusterSession.Terms(
                            dryRun,
                            namesRows,
                            includeRecent,
                            readsAll,
                            Duration.ofSeconds(leaseSeconds),
                            fence(),
                            looked -> StagedReview.of(looked, oldRows, ghostsMax)),
                    settings);
            session.set(ours);
            return ours.run(resumed.flatMap(one -> one.run().hold()));
        } catch (InterruptedIOException | JobAbortedException e) {
            say(interrupted(Optional.ofNullable(session.get())));
            return ExitCode.INTERRUPTED;
        } finally {
            if (record.isPresent()) {
                if (session.get() != null && session.get().isKept()) {
                    sayHow(record.get());
                }
                record.get().close();
            }
        }
    }

    private GuardedTables.Fence fence() {
        if (dryRun) {
            return GuardedTables.Fence.UNNEEDED;
        }
        return noFence ? GuardedTables.Fence.NONE : GuardedTables.Fence.HELD;
    }

    private static String interrupted(Optional<ClusterSession> session) {
        if (session.filter(ClusterSession::isKept).isPresent()) {
            return "interrupted: what was compared and imported is recorded, and agents hold on";
        }
        return session.filter(ClusterSession::mayHaveImported).isPresent()
                ? "interrupted while nodes imported: some may have, which is right; all agents were told to let go"
                : "interrupted: nothing was imported, and all agents were told to let go";
    }

    /** The last line, and part of the error: not kept from who wants quiet. */
    private void sayHow(OpenRun run) {
        out().flush();
        String goOn = runs.resumeCommand(run.record());
        environment()
                .err()
                .println("go on before " + run.record().resumableUntil() + " with: " + goOn
                        + "; or have agents let go with: " + RunsOutput.abandoning(goOn));
    }

    /** The same parts as those of the run: no other ones can be gone on with. */
    private List<ClusterPart> planAgain(CommandNode node, Resumed resumed) throws IOException {
        RunRecord run = resumed.run();
        List<ClusterPart> parts;
        try {
            parts = plan(node);
        } catch (ClusterRefusedException | ParameterException e) {
            endInVain(run, node, e);
            throw e;
        }
        if (!run.hold().orElseThrow().plan().equals(ClusterPart.fingerprint(parts))) {
            RunRefusedException refusal = new RunRefusedException(
                    "nodes, agents or ranges have changed since the run began, so that agents were told to let go: start"
                            + " another one, run=" + run.id() + ", nodes=" + places(ClusterPart.replicas(parts))
                            + ", were=" + places(run.replicas()));
            endInVain(run, node, refusal);
            throw refusal;
        }
        return parts;
    }

    private static List<String> places(List<RecordedReplica> replicas) {
        return replicas.stream()
                .map(replica -> replica.name() + " by " + replica.place())
                .toList();
    }

    private OpenRun resume(Resumed resumed) throws IOException {
        RunRecord run = resumed.run();
        OpenRun open = runs.records(this).resume(run.id());
        boolean opened = false;
        try {
            // As it was changed last, but for what is said now.
            open.settings(changed(open.settings(), resumed.given()::contains));
            opened = true;
            return open;
        } finally {
            if (!opened) {
                open.close();
            }
        }
    }

    private Optional<OpenRun> start(UUID id, List<ClusterPart> parts, RunSettings settings) {
        List<String> tables = parts.stream()
                .flatMap(part -> part.tables().stream())
                .map(QualifiedTable::toString)
                .toList();
        Instant now = environment().clock().instant();
        RunRecord record = RunRecord.starting(
                        id,
                        runs.recorded(tables, Optional.empty()),
                        tables,
                        ClusterPart.replicas(parts),
                        ClusterPart.ranges(parts),
                        dryRun,
                        now)
                .holding(HoldState.starting(ClusterPart.fingerprint(parts), now.plusSeconds(leaseSeconds), settings));
        try {
            return Optional.of(runs.records(this).start(record, settings));
        } catch (IOException e) {
            say(
                    "warning: this run can't be gone on with, nor shows in any history, since no record of it can be written:"
                            + " give another --state DIR, state=" + runs.directory(this) + ", reason="
                            + e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        runs.addChecks(this, checks);
        checks.add("KS[.TABLE]", () -> ClusterTables.of(this, wanted))
                .add("--agent", () -> agents.forEach(this::agentAddress))
                .add(
                        PARALLEL,
                        () -> require(
                                parallel >= 1 && parallel <= Repair.PARALLEL_MAX,
                                "--parallel takes a number of ranges, 1 to " + Repair.PARALLEL_MAX + ", given="
                                        + parallel))
                .add(
                        RATE,
                        () -> require(
                                rowsPerSecond >= 0,
                                "--rate takes a number of rows a second, at least 0, given=" + rowsPerSecond))
                .add(WINDOW, this::window)
                .add(
                        "--lease",
                        () -> require(
                                leaseSeconds >= 5 && leaseSeconds <= 3_600,
                                "--lease takes seconds, 5 to 3600, given=" + leaseSeconds))
                .add(
                        "--ghosts-max",
                        () -> require(
                                ghostsMax >= 0,
                                "--ghosts-max takes a number of deletions, at least 0, given=" + ghostsMax))
                .add(
                        List.of("--rows", "--json"),
                        () -> require(!json() || !namesRows, "--rows is told as text: leave out --json"))
                .add(
                        List.of("--agent", "--json"),
                        () -> require(
                                !json() || agents.isEmpty() || !runs.isStatus() && !runs.isHistory(),
                                "agents are told of as text: leave out --json, or ask 'anneal cluster status'"));
        // The record of a run has the others.
        if (!runs.isResume() && change == null && abandon == null) {
            security.addChecks(this, checks, true);
        }
    }

    /** Refuses a command line that lacks something. */
    private void requireAll() {
        require(!wanted.isEmpty(), "say what to repair: KS or KS.TABLE");
        require(!agents.isEmpty(), "name an agent of the cluster: --agent HOST:PORT");
        security.require(this);
    }

    private InetSocketAddress agentAddress(String text) {
        return peerAddress("--agent", text);
    }

    private Optional<RepairWindow> window() {
        if (window.equals(ALL_DAY)) {
            return Optional.empty();
        }
        try {
            return Optional.of(RepairWindow.parse(window));
        } catch (IllegalArgumentException e) {
            throw usage("--window: " + e.getMessage());
        }
    }

    private List<ClusterPart> plan(CommandNode node) throws IOException {
        ClusterAgents known = new ClusterAgents(
                this,
                node.node().peers(),
                agents.stream().map(this::agentAddress).toList());
        List<QualifiedTable> given = ClusterTables.of(this, wanted);
        List<ClusterPart> parts = new ArrayList<>();
        for (AgentKeyspace keyspace : known.keyspaces(
                given.stream().map(QualifiedTable::keyspace).distinct().toList())) {
            List<QualifiedTable> tables = given.stream()
                    .filter(table -> table.keyspace().equals(keyspace.name()))
                    .flatMap(table -> table.isWholeKeyspace()
                            ? keyspace.tables().stream().map(name -> new QualifiedTable(keyspace.name(), name))
                            : List.of(table).stream())
                    .distinct()
                    .toList();
            List<String> unknown = tables.stream()
                    .map(QualifiedTable::table)
                    .filter(name -> !keyspace.tables().contains(name))
                    .toList();
            if (!unknown.isEmpty()) {
                throw new ClusterRefusedException(
                        "tables are not there, keyspace=" + keyspace.name() + ", tables=" + unknown + ", known="
                                + keyspace.tables(),
                        "name them as they are stored, without quotes");
            }
            Ownership owned = known.owned(keyspace, dataCentres);
            List<AgentPeer> those = new ArrayList<>();
            for (String owner : owned.nodes()) {
                those.add(known.of(owner));
            }
            parts.add(new ClusterPart(tables, owned, those));
        }
        return parts;
    }
}
