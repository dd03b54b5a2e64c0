package io.anneal.cli.stream;

import io.anneal.cli.command.ByteSize;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.JsonResult;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.StopSignal;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.repair.CommandNode;
import io.anneal.cli.repair.PeerSecurity;
import io.anneal.job.JobFailedException;
import io.anneal.key.TokenRange;
import io.anneal.node.Waiver;
import io.anneal.streaming.Ring;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What all commands of streaming share: who gives what to whom, and how it went. */
abstract class StreamSubcommand extends Subcommand {
    @Option(
            names = "--from",
            required = true,
            paramLabel = "[NAME=]HOST:PORT",
            converter = NamedNode.Converter.class,
            description =
                    "A node that has the data; NAME is its name in the ring, its host by default. Repeatable where"
                            + " several may give.")
    private List<NamedNode> from;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "[NAME=]HOST:PORT",
            converter = NamedNode.Converter.class,
            description = "A node that is to have the data. Repeatable where several may take.")
    private List<NamedNode> to;

    @Option(
            names = "--table",
            required = true,
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "Which table; repeatable, tables of one keyspace.")
    private List<QualifiedTable> tables;

    @Option(
            names = "--ring",
            paramLabel = "FILE",
            description = "Who owns what: the output of 'nodetool describering KEYSPACE'.")
    private Path ring;

    @Option(
            names = "--range",
            paramLabel = "(A,B]",
            description = "Instead of a ring: the tokens, as (A,B] or A:B; repeatable. Write --range='(A,B]'.")
    private List<String> ranges = List.of();

    @Option(names = "--full-replicas", description = "Instead of a ring: every node owns everything.")
    private boolean fullReplicas;

    @Option(
            names = "--net-rate",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            defaultValue = "0",
            description = "Bytes a second at most, of all nodes together; 0, the default, for no limit.")
    private long bytesPerSecond;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many pairs of nodes stream at once; ${DEFAULT-VALUE} by default.")
    private int parallel;

    @Option(
            names = "--allow-empty",
            description = "Go on when a node of --from has nothing of a table at all: it may have lost its data.")
    private boolean allowEmpty;

    @Option(
            names = "--allow-old-snapshots",
            description = "Go on when a source's data is older than gc_grace: rows deleted since may come back.")
    private boolean allowOldSnapshots;

    @Option(
            names = "--allow-no-gc-grace",
            description = "Go on when the table's gc_grace is 0: nothing in it is ever deleted.")
    private boolean allowNoGcGrace;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    /** The name of the command. */
    abstract String name();

    /** Says who gives what to whom. */
    abstract List<Ring.Move> moves(String table, CommandNode node) throws IOException;

    /** All that a node is to own, from all sources. */
    final List<Ring.Move> filled(String target, String table, CommandNode node) throws IOException {
        List<StreamSource> giving =
                from.stream().map(source -> source(source, node)).toList();
        return ring().cutFor(target, giving, table).fill(target, sources());
    }

    private static StreamSource source(NamedNode source, CommandNode node) {
        return StreamSource.at(node.node().peers(), source.address());
    }

    final NamedNode onlySource() {
        return only("--from", from);
    }

    final NamedNode onlyTarget() {
        return only("--to", to);
    }

    private NamedNode only(String option, List<NamedNode> nodes) {
        if (nodes.size() != 1) {
            throw usage(option + " is given once in '" + name() + "'");
        }
        return nodes.get(0);
    }

    final Set<String> sources() {
        return names(from);
    }

    final Set<String> targets() {
        return names(to);
    }

    private static Set<String> names(List<NamedNode> nodes) {
        return nodes.stream().map(NamedNode::name).collect(Collectors.toSet());
    }

    /** The ring of the file; or one in which all nodes of the command line own the ranges. */
    final Ring ring() throws IOException {
        if (Stream.of(ring != null, !ranges.isEmpty(), fullReplicas)
                        .filter(given -> given)
                        .count()
                != 1) {
            throw usage("say what the nodes own, by one of --ring FILE, --range='(A,B]', and --full-replicas");
        }
        if (ring != null) {
            return read(ring);
        }
        Set<String> all = new HashSet<>(sources());
        all.addAll(targets());
        return Ring.of(fullReplicas ? List.of(TokenRange.FULL) : ranges(), all);
    }

    final boolean hasRing() {
        return ring != null;
    }

    static Ring read(Path file) throws IOException {
        return Ring.parse(Files.readString(file));
    }

    private List<TokenRange> ranges() {
        List<TokenRange> parsed = ranges.stream().map(TokenRange::parse).toList();
        parsed.stream()
                .filter(range -> range.left() == range.right() && !range.equals(TokenRange.FULL))
                .findFirst()
                .ifPresent(range -> {
                    throw usage(
                            "--range with equal ends is the whole ring: say --full-replicas if that is meant, range="
                                    + range);
                });
        return parsed;
    }

    private Set<Waiver> waivers() {
        Set<Waiver> waivers = EnumSet.noneOf(Waiver.class);
        if (allowEmpty) {
            waivers.add(Waiver.EMPTY_REPLICA);
        }
        if (allowOldSnapshots) {
            waivers.add(Waiver.OLD_DATA);
        }
        if (allowNoGcGrace) {
            waivers.add(Waiver.NO_GC_GRACE);
        }
        return waivers;
    }

    @Override
    protected final int execute() throws IOException {
        check();
        StopSignal stop = StopSignal.interrupting(Thread.currentThread());
        try {
            StreamResults results = new StreamResults();
            stream(results);
            print(results);
            return ExitCode.YES;
        } catch (JobFailedException failed) {
            List<ErrorReport> told =
                    failed.failures().stream().map(unit -> tell(unit.cause())).toList();
            return told.isEmpty() ? errorExitCode() : told.get(0).exitCode();
        } catch (InterruptedIOException e) {
            say("interrupted: what came to its end stays");
            return ExitCode.INTERRUPTED;
        } finally {
            stop.settled();
        }
    }

    private void stream(StreamResults results) throws IOException {
        try (CommandNode node = security.node(this);
                Progress progress = progress(name())) {
            StreamPlan plan = plan(node);
            if (plan.units().isEmpty()) {
                say("nothing is to be streamed: by the ring nobody lacks anything");
            }
            plan.parallel(parallel)
                    .bytesPerSecond(bytesPerSecond)
                    .allow(waivers())
                    .reports(results::add)
                    .progress(done -> progress.update(done.bytes(), done.rows(), done.secondsLeft()))
                    .run(host());
        }
    }

    private void check() {
        security.check(this);
        if (parallel < 1) {
            throw usage("--parallel takes a number of pairs of nodes");
        }
        if (tables.stream().anyMatch(QualifiedTable::isWholeKeyspace)) {
            throw usage("--table takes one table: give it for each");
        }
        Set<String> once = new HashSet<>();
        for (QualifiedTable table : tables) {
            if (!once.add(table.toString())) {
                throw usage("--table is given twice, table=" + table);
            }
        }
        Set<String> both = new HashSet<>(sources());
        both.retainAll(targets());
        if (!both.isEmpty()) {
            throw usage(
                    "a node cannot be --from and --to: nodes on one host need names, as n1=HOST:PORT, node=" + both);
        }
        if (sources().size() < from.size() || targets().size() < to.size()) {
            throw usage("a node is given twice: nodes on one host need names, as n1=HOST:PORT");
        }
    }

    private StreamPlan plan(CommandNode node) throws IOException {
        Map<String, NamedNode> nodes = new LinkedHashMap<>();
        Stream.concat(from.stream(), to.stream()).forEach(known -> nodes.put(known.name(), known));
        StreamPlan plan = StreamPlan.of();
        for (QualifiedTable table : tables) {
            Map<List<String>, List<TokenRange>> pairs = new LinkedHashMap<>();
            moves(table.toString(), node)
                    .forEach(move -> pairs.computeIfAbsent(
                                    List.of(move.source(), move.target()), pair -> new ArrayList<>())
                            .add(move.range()));
            pairs.forEach((pair, wanted) -> plan.add(
                    table.toString(),
                    source(nodes.get(pair.get(0)), node),
                    StreamTarget.at(node.node().peers(), nodes.get(pair.get(1)).address()),
                    wanted));
        }
        return plan;
    }

    private void print(StreamResults results) throws IOException {
        if (!json()) {
            results.print(out());
            return;
        }
        try (JsonResult result = new JsonResult(out(), "stream " + name())) {
            results.write(result.fields());
        }
    }
}
