package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import io.anneal.agent.LiveNode;
import io.anneal.agent.LiveTable;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.bench.peer.CassandraRelease;
import io.anneal.faults.Commands;
import io.anneal.io.Closing;
import io.anneal.key.TokenRange;
import io.anneal.store.SSTables;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A real cluster with an agent beside each node, all in processes of their own, at loopback addresses of its own. One thread. */
final class LiveCluster implements Closeable {
    private static final int HEAP_MIB = 512;
    private static final int CHECKS_MAX = 1_200;
    private static final long PAUSE_NANOS = 100_000_000;

    private final Shape shape;
    private final Path directory;
    private final List<CassandraPeer> nodes = new ArrayList<>();
    private final List<Commands.Server> agents = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private CqlSession session;
    private Path token;
    private int copies;

    /**
     * @param network of its loopback addresses, as {@code 127.0.3}
     * @param dataCentres of each node; one name for all is a cluster without data centres
     * @param tokensEach of each node
     * @param random draws the tokens
     * @param release of each node
     */
    record Shape(String network, List<String> dataCentres, int tokensEach, Random random, CassandraRelease release) {
        /** Without data centres. */
        static Shape of(String network, int nodeCount, int tokensEach, Random random) {
            return new Shape(network, Collections.nCopies(nodeCount, ""), tokensEach, random, CassandraRelease.V5_0);
        }

        Shape withDataCentres(List<String> names) {
            return new Shape(network, names, tokensEach, random, release);
        }

        Shape withRelease(CassandraRelease value) {
            return new Shape(network, dataCentres, tokensEach, random, value);
        }

        int nodeCount() {
            return dataCentres.size();
        }

        private boolean hasDataCentres() {
            return dataCentres.stream().distinct().count() > 1;
        }
    }

    private LiveCluster(Shape shape, Path directory) {
        this.shape = shape;
        this.directory = directory;
    }

    static LiveCluster start(Shape shape, Path directory) throws IOException {
        LiveCluster cluster = new LiveCluster(shape, directory);
        boolean started = false;
        try {
            cluster.start();
            started = true;
            return cluster;
        } finally {
            if (!started) {
                cluster.close();
            }
        }
    }

    private void start() throws IOException {
        List<CassandraPeerConfig> configs = new ArrayList<>();
        for (int i = 0; i < shape.nodeCount(); i++) {
            configs.add(config(i));
        }
        nodes.add(CassandraPeer.start(configs.get(0)));
        String seed = host(0) + ":" + node(0).storagePort();
        List<Optional<CassandraPeer>> others = IntStream.range(1, shape.nodeCount())
                .parallel()
                .mapToObj(i -> Optional.of(CassandraPeer.start(configs.get(i).withPlace(host(i), 0, seed))))
                .toList();
        others.forEach(other -> nodes.add(other.orElseThrow()));
        nodes.forEach(node -> node.awaitRing(shape.nodeCount()));
        session = CqlSession.builder()
                .addContactPoint(new InetSocketAddress(host(0), node(0).cqlPort()))
                .withLocalDatacenter(
                        shape.hasDataCentres() ? shape.dataCentres().get(0) : "datacenter1")
                .build();
        token = Commands.tokenFile(directory);
        for (int i = 0; i < shape.nodeCount(); i++) {
            startAgent(i, addresses.isEmpty() ? "0" : addresses.get(0).split(":")[1]);
        }
    }

    private CassandraPeerConfig config(int node) throws IOException {
        String tokens = shape.random()
                .longs(shape.tokensEach())
                .mapToObj(Long::toString)
                .collect(Collectors.joining(","));
        List<String> yaml = new ArrayList<>(List.of(
                "num_tokens: " + shape.tokensEach(), "initial_token: '" + tokens + "'", "memtable_heap_space: 64MiB"));
        List<String> options = new ArrayList<>(List.of(
                "-XX:TieredStopAtLevel=1",
                "-Dcassandra.skip_sync=true",
                // nodes are killed here: what they know of themselves has to last
                "-Dcassandra.unsafesystem=false",
                // on a busy machine a node hears of the others late
                "-Dcassandra.ring_delay_ms=5000"));
        if (shape.hasDataCentres()) {
            Path place = Files.writeString(
                    directory.resolve("place" + node),
                    "dc=" + shape.dataCentres().get(node) + "\nrack=rack1\n");
            yaml.add("endpoint_snitch: GossipingPropertyFileSnitch");
            options.add("-Dcassandra-rackdc.properties=" + place.toUri());
        }
        return CassandraPeerConfig.in(directory.resolve("node" + node))
                .withRelease(shape.release())
                .withSettings(yaml, options)
                .withHeapMiB(HEAP_MIB)
                .withPlace(host(node), 0, "");
    }

    private void startAgent(int node, String port) throws IOException {
        Commands.Server agent = Commands.Server.startAgent(
                directory.resolve("agent" + node + ".log"),
                Map.of("JAVA_TOOL_OPTIONS", "-Xlog:gc:file=" + collections(node)),
                "--jmx",
                "127.0.0.1:" + node(node).jmxPort(),
                "--listen",
                host(node) + ":" + port,
                "--directory",
                agentDirectory(node).toString(),
                "--token-file",
                token.toString());
        if (node < agents.size()) {
            agents.set(node, agent);
        } else {
            agents.add(agent);
            addresses.add(agent.address());
        }
    }

    void killAgent(int node) {
        try {
            agents.get(node).kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while an agent was killed", e);
        }
    }

    /** Starts an agent anew that was killed, at its address. */
    void restartAgent(int node) throws IOException {
        startAgent(node, addresses.get(node).split(":")[1]);
    }

    /** Where an agent's collections of garbage are told. */
    Path collections(int node) {
        return directory.resolve("agent" + node + ".gc");
    }

    Path agentDirectory(int node) {
        return directory.resolve("agent" + node);
    }

    int nodeCount() {
        return shape.nodeCount();
    }

    String host(int node) {
        return shape.network() + "." + (node + 1);
    }

    CassandraPeer node(int node) {
        return nodes.get(node);
    }

    /** A client that knows all nodes. */
    CqlSession session() {
        return session;
    }

    /** Where agents listen. */
    String agent(int node) {
        return addresses.get(node);
    }

    Commands.Result command(String command, String... more) {
        return commandWatched(line -> {}, command, more);
    }

    /** Goes on with the run that is left. */
    Commands.Result resume() {
        return Commands.run("cluster", "repair", "--resume", "--rate", "0", "--state", state());
    }

    /** What an agent asks for who asks. */
    Path token() {
        return token;
    }

    String state() {
        return directory.resolve("state").toString();
    }

    /** Each line of the command is looked at before it goes on. */
    Commands.Result commandWatched(Consumer<String> lines, String command, String... more) {
        return Commands.runWatched(lines, words(command, more));
    }

    /** A command in a process of its own. */
    Process start(Path log, String command, String... more) throws IOException {
        return Commands.start(log, words(command, more));
    }

    private String[] words(String command, String... more) {
        List<String> all = new ArrayList<>(
                List.of("cluster", command, "--agent", addresses.get(0), "--token-file", token.toString()));
        all.addAll(Arrays.asList(more));
        if (command.equals("repair") && !all.contains("--state")) {
            all.addAll(List.of("--state", state()));
        }
        return all.toArray(String[]::new);
    }

    /** Others give a node nothing of what they write from now on, until {@link #join}. */
    void leave(int node) {
        node(node).nodetool("disablegossip");
        awaitUnreachable(node);
    }

    private void awaitUnreachable(int node) {
        int other = node == 0 ? 1 : 0;
        await("node " + node + " has left", () -> schemaVersions(other).contains("UNREACHABLE"));
    }

    /** Ends a node as an operator does: what it holds is on its disk. */
    void stop(int node) {
        node(node).nodetool("drain");
        node(node).close();
        awaitUnreachable(node);
    }

    void join(int node) {
        node(node).nodetool("enablegossip");
        awaitAgreement();
    }

    /** Starts a node anew that was killed or stopped. */
    void restart(int node) {
        nodes.set(node, node(node).startAgain());
        awaitAgreement();
    }

    /** Until all nodes see one another, and the same schema. */
    void awaitAgreement() {
        nodes.forEach(node -> node.awaitRing(shape.nodeCount()));
        for (int i = 0; i < shape.nodeCount(); i++) {
            int node = i;
            await(
                    "node " + node + " agrees with all",
                    () -> schemaVersions(node).size() == 1);
        }
    }

    private List<String> schemaVersions(int node) {
        return with(node, live -> List.copyOf(live.schemaVersions()));
    }

    /** What a node is asked. */
    private interface Question<T> {
        T ask(LiveNode live) throws IOException;
    }

    private <T> T with(int node, Question<T> question) {
        try (LiveNode live = LiveNodeTest.open(node(node))) {
            return question.ask(live);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void await(String what, BooleanSupplier condition) {
        for (int i = 0; i < CHECKS_MAX; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        throw new AssertionError("it did not come to be: " + what);
    }

    /** Sees that no run has left anything at a node, nor at its agent, which lets go within seconds. */
    void assertNothingLeft(String keyspace) {
        for (int i = 0; i < shape.nodeCount(); i++) {
            int node = i;
            for (int check = 0; check < CHECKS_MAX && !left(node, keyspace).isEmpty(); check++) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            assertThat(left(node, keyspace)).as("node " + node).isEmpty();
        }
    }

    /** What a run has left at a node or at its agent, or holds there. */
    List<String> left(int node, String keyspace) {
        return with(node, live -> {
            List<String> left = new ArrayList<>();
            for (String name : live.tables(keyspace)) {
                LiveTable table = live.table(keyspace, name).orElseThrow();
                if (live.neverPurges(table)) {
                    left.add("held: " + name);
                }
            }
            for (Path data : live.dataDirectories()) {
                for (Path table : list(data.resolve(keyspace))) {
                    list(table.resolve("snapshots")).stream()
                            .filter(tag -> tag.getFileName().toString().startsWith("anneal-"))
                            .forEach(tag -> left.add("snapshot: " + tag));
                    left.addAll(torn(table));
                }
            }
            list(agentDirectory(node).resolve("runs")).forEach(run -> left.add("run: " + run));
            if (Files.exists(agentDirectory(node).resolve("fence"))) {
                left.add("fence");
            }
            return left;
        });
    }

    private static List<Path> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }

    /** SSTables of which components are missing. */
    private static List<String> torn(Path table) throws IOException {
        List<Path> files = list(table).stream().filter(Files::isRegularFile).toList();
        List<String> torn = new ArrayList<>();
        for (String sstable : files.stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> name.contains("-big-") || name.contains("-bti-"))
                .map(name -> name.substring(0, name.lastIndexOf('-')))
                .distinct()
                .toList()) {
            try {
                List<String> missing = Files.readAllLines(table.resolve(sstable + "-TOC.txt")).stream()
                        .filter(component -> !Files.exists(table.resolve(sstable + "-" + component)))
                        .toList();
                if (!missing.isEmpty()) {
                    torn.add(sstable + " lacks " + missing);
                }
            } catch (NoSuchFileException e) {
                torn.add(sstable + " has no list of components");
            }
        }
        return torn;
    }

    /** A copy of a node's own files of a table, flushed. */
    Path files(int node, String keyspace, String table) throws IOException {
        String tag = "copy" + copies++;
        Path files = Files.createDirectories(directory.resolve(tag));
        node(node).nodetool("snapshot", "-t", tag, "-kt", keyspace + "." + table);
        for (Path of : tableDirectories(node, keyspace, table)) {
            for (Path file : list(of.resolve("snapshots").resolve(tag))) {
                Files.copy(file, files.resolve(file.getFileName()));
            }
        }
        node(node).nodetool("clearsnapshot", "-t", tag, "--", keyspace);
        return files;
    }

    /** Where a node has files of a table, and of those of its name that were dropped before. */
    List<Path> tableDirectories(int node, String keyspace, String table) throws IOException {
        return list(directory.resolve("node" + node).resolve("data").resolve(keyspace)).stream()
                .filter(of -> of.getFileName().toString().startsWith(table + "-"))
                .toList();
    }

    /** The live rows of a node's own files. */
    <T> List<T> rows(int node, String keyspace, String table, Function<TableRow, T> row) throws IOException {
        List<T> rows = new ArrayList<>();
        try (SSTables sstables = SSTables.open(files(node, keyspace, table));
                TableRows read = sstables.rows(TokenRange.FULL, Instant.now())) {
            for (TableRow next = read.next(); next != null; next = read.next()) {
                rows.add(row.apply(next));
            }
        }
        return rows;
    }

    /** Whether a node's disk has a snapshot of a run, or part of it. */
    boolean hasSnapshot(int node, String keyspace) {
        try {
            for (Path table :
                    list(directory.resolve("node" + node).resolve("data").resolve(keyspace))) {
                if (list(table.resolve("snapshots")).stream()
                        .anyMatch(tag -> tag.getFileName().toString().startsWith("anneal-"))) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        List<Closeable> all = new ArrayList<>();
        if (session != null) {
            all.add(session::close);
        }
        agents.forEach(agent -> all.add(agent::close));
        for (int i = nodes.size() - 1; i >= 0; i--) {
            all.add(nodes.get(i)::close);
        }
        Closing.all(all);
    }
}
