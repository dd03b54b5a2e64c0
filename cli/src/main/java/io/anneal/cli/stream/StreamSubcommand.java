package io.anneal.cli.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ByteSize;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.NamedNode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.RingFile;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.command.WaiverOptions;
import io.anneal.cli.repair.CommandNode;
import io.anneal.cli.repair.PeerSecurity;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobFailedException.UnitFailure;
import io.anneal.key.TokenRange;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.node.Ring;
import io.anneal.streaming.StreamException;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import io.anneal.streaming.StreamUnit;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
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
    private static final String OWNED =
            "say what the nodes own, by one of --ring FILE, --range='(A,B]', and --full-replicas";

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

    @Mixin
    private WaiverOptions allowed = new WaiverOptions();

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
        return StreamPlan.cut(ring(), target, giving, table).fill(target, sources());
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
        if (ring != null) {
            return RingFile.read(this, ring);
        }
        Set<String> all = new HashSet<>(sources());
        all.addAll(targets());
        return Ring.of(fullReplicas ? List.of(TokenRange.FULL) : ranges(), all);
    }

    final boolean hasRing() {
        return ring != null;
    }

    private List<TokenRange> ranges() {
        List<TokenRange> parsed = new ArrayList<>();
        for (String text : ranges) {
            TokenRange range = range(text);
            parsed.stream().filter(range::overlaps).findFirst().ifPresent(other -> {
                throw usage("two of --range overlap, range=" + range + ", other=" + other);
            });
            parsed.add(range);
        }
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

    private TokenRange range(String text) {
        try {
            return TokenRange.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage("--range: " + e.getMessage());
        }
    }

    @Override
    protected final int execute() throws IOException {
        requireAll();
        stopOnSignal();
        try {
            StreamResults results = new StreamResults();
            List<UnitFailure> failures = stream(results);
            if (failures.isEmpty()) {
                print(results);
                return ExitCode.YES;
            }
            List<ErrorReport> errors = told(failures);
            if (json()) {
                JsonGenerator json = resultFields();
                json.writeArrayFieldStart("errors");
                for (ErrorReport error : errors) {
                    json.writeStartObject();
                    error.write(json);
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
            return errors.get(0).exitCode();
        } catch (InterruptedIOException e) {
            say("interrupted: what came to its end stays");
            return ExitCode.INTERRUPTED;
        }
    }

    /** What is the same for several tables or pairs of nodes is told once. */
    private List<ErrorReport> told(List<UnitFailure> failures) {
        Map<String, Exception> distinct = new LinkedHashMap<>();
        failures.forEach(failure -> distinct.putIfAbsent(failure.cause().toString(), failure.cause()));
        return distinct.values().stream().map(this::tell).toList();
    }

    /** Returns what failed for good. */
    private List<UnitFailure> stream(StreamResults results) throws IOException {
        List<UnitFailure> left = new ArrayList<>();
        try (CommandNode node = security.node(this);
                Progress progress = progress(name())) {
            StreamPlan plan = plan(node);
            if (plan.units().isEmpty()) {
                say("nothing is to be streamed: by the ring nobody lacks anything");
            }
            DamagedSources damaged = new DamagedSources();
            do {
                List<UnitFailure> failed = run(plan, results, progress);
                plan = StreamPlan.of();
                for (UnitFailure failure : failed) {
                    if (!replaced(failure, damaged, plan, node, results)) {
                        left.add(failure);
                    }
                }
            } while (!plan.units().isEmpty());
        }
        return left;
    }

    private List<UnitFailure> run(StreamPlan plan, StreamResults results, Progress progress) throws IOException {
        plan.parallel(parallel)
                .bytesPerSecond(bytesPerSecond)
                .allow(allowed.waivers())
                .reports(results::add)
                .progress(done -> progress.update(done.bytes(), done.rows(), done.secondsLeft()));
        try {
            plan.run(host());
            return List.of();
        } catch (JobFailedException failed) {
            return failed.failures();
        } catch (PeerException | StreamException failed) {
            // Of one unit it speaks for itself.
            return List.of(new UnitFailure(plan.units().get(0).text(), failed));
        }
    }

    /** Whether all that a source with a damaged SSTable was to give is planned to come from other nodes. */
    private boolean replaced(
            UnitFailure failure, DamagedSources damaged, StreamPlan plan, CommandNode node, StreamResults results)
            throws IOException {
        StreamUnit unit = StreamUnit.parse(failure.unit());
        NamedNode source = named(from, unit.source());
        if (!DamagedSources.isDamage(failure.cause()) || sources().size() < 2) {
            return false;
        }
        Set<String> others = damaged.without(unit.table(), source.name(), sources());
        String target = named(to, unit.target()).name();
        Ring wanted = ring().within(unit.ranges());
        if (!wanted.parts().stream().allMatch(part -> part.owners().stream().anyMatch(others::contains))) {
            return false;
        }
        say("a node has a damaged SSTable, and what it was to give comes from others, node=" + source.name()
                + ", table=" + unit.table() + ", reason=" + failure.cause().getMessage());
        results.addDamage(source.name(), unit.table(), failure.cause().getMessage());
        add(plan, unit.table(), wanted.fill(target, others), node);
        return true;
    }

    private static NamedNode named(List<NamedNode> nodes, String unitName) {
        return nodes.stream()
                .filter(node -> PeerAddress.text(node.address()).equals(unitName))
                .findFirst()
                .orElseThrow();
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add("--parallel", () -> require(parallel >= 1, "--parallel takes a number of pairs of nodes"))
                .add("--table", this::checkTables)
                .add(List.of("--from", "--to"), this::checkNodes)
                .add(
                        List.of("--ring", "--range", "--full-replicas"),
                        () -> require(
                                (ring != null ? 1 : 0) + (ranges.isEmpty() ? 0 : 1) + (fullReplicas ? 1 : 0) == 1,
                                OWNED))
                .add("--range", this::ranges);
        security.addChecks(this, checks, true);
    }

    private void checkTables() {
        require(
                tables.stream().noneMatch(QualifiedTable::isWholeKeyspace),
                "--table takes one table: give it for each");
        Set<String> once = new HashSet<>();
        for (QualifiedTable table : tables) {
            require(once.add(table.toString()), "--table is given twice, table=" + table);
        }
    }

    private void checkNodes() {
        Set<String> both = new HashSet<>(sources());
        both.retainAll(targets());
        require(
                both.isEmpty(),
                "a node cannot be --from and --to: nodes on one host need names, as n1=HOST:PORT, node=" + both);
        require(
                sources().size() == from.size() && targets().size() == to.size(),
                "a node is given twice: nodes on one host need names, as n1=HOST:PORT");
        Set<InetSocketAddress> addresses = new HashSet<>();
        Stream.concat(from.stream(), to.stream())
                .filter(node -> !addresses.add(node.address()))
                .findFirst()
                .ifPresent(node -> {
                    throw usage("two nodes have one address, node=" + node.name() + ", address="
                            + PeerAddress.text(node.address()));
                });
    }

    /** Refuses a command line that lacks something. */
    private void requireAll() {
        require(ring != null || !ranges.isEmpty() || fullReplicas, OWNED);
        security.require(this);
    }

    private StreamPlan plan(CommandNode node) throws IOException {
        StreamPlan plan = StreamPlan.of();
        for (QualifiedTable table : tables) {
            add(plan, table.toString(), moves(table.toString(), node), node);
        }
        return plan;
    }

    private void add(StreamPlan plan, String table, List<Ring.Move> moves, CommandNode node) {
        Map<String, NamedNode> nodes = new LinkedHashMap<>();
        Stream.concat(from.stream(), to.stream()).forEach(known -> nodes.put(known.name(), known));
        Map<List<String>, List<TokenRange>> pairs = new LinkedHashMap<>();
        moves.forEach(move -> pairs.computeIfAbsent(List.of(move.source(), move.target()), pair -> new ArrayList<>())
                .add(move.range()));
        pairs.forEach((pair, wanted) -> plan.add(
                table,
                source(nodes.get(pair.get(0)), node),
                StreamTarget.at(node.node().peers(), nodes.get(pair.get(1)).address()),
                wanted));
    }

    private void print(StreamResults results) throws IOException {
        if (!json()) {
            results.print(out());
            return;
        }
        results.write(resultFields());
    }
}
