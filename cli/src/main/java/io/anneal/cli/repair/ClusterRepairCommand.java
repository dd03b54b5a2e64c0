package io.anneal.cli.repair;

import io.anneal.agent.AgentKeyspace;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.GuardedTables;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.StopSignal;
import io.anneal.cli.command.Subcommand;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code anneal cluster repair}: makes the replicas of a cluster that runs equal, row by row. */
@Command(
        name = "repair",
        description =
                "Finds the rows in which the nodes of a Cassandra cluster differ, and has each node import what it"
                        + " lacks. Exits with 1 if a dry run finds that they differ, or a node did not import; with 5 if an"
                        + " error stopped it.")
public final class ClusterRepairCommand extends Subcommand {
    @Parameters(
            paramLabel = "KS[.TABLE]",
            arity = "1..*",
            description = "What to repair: a keyspace, or one table of it; repeatable.")
    private List<String> wanted;

    @Option(
            names = "--agent",
            required = true,
            paramLabel = "HOST:PORT",
            description =
                    "An agent of the cluster: its node tells the ring. Agents of the other nodes are found at their"
                            + " nodes' addresses, at the same port; repeat it for those that listen elsewhere.")
    private List<String> agents;

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
            defaultValue = "120",
            description =
                    "How long agents hold the tables after the last sign of this command, should it be killed: 5 to"
                            + " 3600, ${DEFAULT-VALUE} by default.")
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
            names = "--state",
            paramLabel = "DIR",
            description =
                    "Where runs are recorded that were imported by all: 'anneal repair --history' tells from there"
                            + " until when tables are covered. .anneal/repairs in the user's home by default.")
    private Path state;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    private final JobControl control = new JobControl();
    /** Nodes were asked to import: what an interrupt leaves undone nobody knows here. */
    private boolean imports;

    @Override
    public int errorExitCode() {
        return ExitCode.UNANSWERED;
    }

    @Override
    protected int execute() throws IOException {
        check();
        UUID run = host().newId();
        Instant started = environment().clock().instant();
        StopSignal stop = StopSignal.interrupting(Thread.currentThread(), () -> control.stop("interrupted"));
        try (CommandNode node = security.node(this)) {
            ClusterResults results = new ClusterResults(this, run, started, state(), dryRun);
            return repair(node, results);
        } catch (InterruptedIOException | JobAbortedException e) {
            say(
                    imports
                            ? "interrupted while nodes imported: some may have, which is right; all agents were told to let go"
                            : "interrupted: nothing was imported, and all agents were told to let go");
            return ExitCode.INTERRUPTED;
        } finally {
            stop.settled();
        }
    }

    private void check() {
        security.check(this);
        wanted.forEach(this::table);
        agents.forEach(RepairRunner::address);
        if (parallel < 1 || parallel > Repair.PARALLEL_MAX) {
            throw usage("--parallel takes a number of ranges, 1 to " + Repair.PARALLEL_MAX + ", given=" + parallel);
        }
        if (rowsPerSecond < 0) {
            throw usage("--rate takes a number of rows a second, at least 0, given=" + rowsPerSecond);
        }
        if (leaseSeconds < 5 || leaseSeconds > 3_600) {
            throw usage("--lease takes seconds, 5 to 3600, given=" + leaseSeconds);
        }
        if (ghostsMax < 0) {
            throw usage("--ghosts-max takes a number of deletions, at least 0, given=" + ghostsMax);
        }
        if (json() && namesRows) {
            throw usage("--rows is told as text: leave out --json");
        }
    }

    private QualifiedTable table(String text) {
        int dot = text.indexOf('.');
        if (text.isEmpty() || dot == 0 || dot == text.length() - 1 || text.indexOf('.', dot + 1) >= 0 && dot >= 0) {
            throw usage("what to repair is no keyspace, nor a table as KS.TABLE, given=" + text);
        }
        return dot < 0
                ? new QualifiedTable(text, "*")
                : new QualifiedTable(text.substring(0, dot), text.substring(dot + 1));
    }

    private Path state() {
        return state != null ? state : environment().home().resolve(".anneal").resolve("repairs");
    }

    /** What of one keyspace is repaired among which nodes. */
    private record Part(List<QualifiedTable> tables, Ownership owned, List<AgentPeer> agents) {}

    private int repair(CommandNode node, ClusterResults results) throws IOException {
        List<Part> parts = plan(node);
        Set<AgentPeer> all = new LinkedHashSet<>();
        List<String> tables = new ArrayList<>();
        for (Part part : parts) {
            all.addAll(part.agents());
            part.tables().forEach(table -> tables.add(table.toString()));
        }
        List<ClusterHold.Imported> imported = List.of();
        StagedReview review = StagedReview.NONE;
        try (ClusterHold hold = ClusterHold.take(
                List.copyOf(all),
                results.run(),
                tables,
                noFence ? GuardedTables.Fence.NONE : GuardedTables.Fence.HELD,
                Duration.ofSeconds(leaseSeconds),
                host())) {
            if (!json()) {
                say("holding " + String.join(", ", tables) + " on " + all.size() + " nodes, whose clocks are at most "
                        + hold.skew().toMillis() + " ms apart");
            }
            Instant earliest = hold.takeSnapshots();
            if (!json()) {
                say("snapshots are taken, the first began at " + earliest);
            }
            for (Part part : parts) {
                repair(node, part, results);
            }
            if (!dryRun) {
                review = StagedReview.of(hold.look(), oldRows, ghostsMax);
                results.tell(review);
                imports = true;
                imported = hold.importAll(review.refused());
            }
        }
        return results.finish(imported, review);
    }

    private List<Part> plan(CommandNode node) throws IOException {
        ClusterAgents known = new ClusterAgents(
                node.node().peers(), agents.stream().map(RepairRunner::address).toList());
        List<QualifiedTable> given = wanted.stream().map(this::table).toList();
        List<Part> parts = new ArrayList<>();
        for (AgentKeyspace keyspace : known.keyspaces(
                given.stream().map(QualifiedTable::keyspace).distinct().toList())) {
            List<QualifiedTable> tables = given.stream()
                    .filter(table -> table.keyspace().equals(keyspace.name()))
                    .flatMap(table -> table.isWholeKeyspace()
                            ? keyspace.tables().stream().map(name -> new QualifiedTable(keyspace.name(), name))
                            : List.of(table).stream())
                    .distinct()
                    .toList();
            Ownership owned = Ownership.of(keyspace.ring(), ClusterAgents.nodes(keyspace, dataCentres));
            List<AgentPeer> those = new ArrayList<>();
            for (String owner : owned.nodes()) {
                those.add(known.of(owner));
            }
            parts.add(new Part(tables, owned, those));
        }
        return parts;
    }

    /** Repairs the tables of a keyspace; what fails there keeps no other from it. */
    private void repair(CommandNode node, Part part, ClusterResults results) throws IOException {
        RepairTask task = new RepairTask(
                part.tables(),
                part.owned(),
                RepairConfig.BUFFER_MAX_BYTES,
                dryRun,
                part.owned().isComplete(),
                Optional.empty(),
                Set.of(),
                parallel,
                rowsPerSecond,
                includeRecent,
                Optional.empty());
        String what = part.tables().size() == 1
                ? part.tables().get(0).toString()
                : part.tables().size() + " tables";
        try (Progress progress = progress(what)) {
            results.begin(part.tables(), part.owned(), part.agents());
            Repair repair = task.repair()
                    .runId(results.run())
                    .control(control)
                    .progress(done -> progress.update(done.bytes(), done.rows(), done.secondsLeft()))
                    .tableReports((table, report) -> progress.aside(() -> results.add(table, report)))
                    .between(part.agents().stream()
                            .map(agent -> RepairMember.at(agent.connector(), agent.address()))
                            .toList());
            try {
                run(node, repair, progress);
            } catch (InterruptedIOException | JobAbortedException e) {
                throw e;
            } catch (IOException | RuntimeException e) {
                progress.aside(() -> results.fail(tell(e)));
            }
        }
    }

    private void run(CommandNode node, Repair repair, Progress progress) throws IOException {
        RepairEnvironment environment = new RepairEnvironment(
                host(), node.node().executor(), node.node().budget());
        if (!namesRows) {
            repair.run(environment);
            return;
        }
        Consumer<String> notes = note -> progress.aside(() -> say("note: " + note));
        try (RowLines rows = new RowLines(repair, dryRun, this::nowSeconds, notes, new RowText(out(), progress))) {
            repair.differences(rows).run(environment);
        }
    }
}
