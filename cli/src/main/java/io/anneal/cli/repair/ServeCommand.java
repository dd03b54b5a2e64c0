package io.anneal.cli.repair;

import io.anneal.cli.command.ByteSize;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.OutputDirectory;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.StoreOpening;
import io.anneal.cli.command.Subcommand;
import io.anneal.metrics.TableSelection;
import io.anneal.net.PeerAddress;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.NodeFile;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.RepairException;
import io.anneal.repair.RepairRunner;
import io.anneal.schema.CqlSchema;
import io.anneal.store.Store;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.DataNotFoundException;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.StoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal serve}: offers the tables of a directory or of a store to other nodes, until it is stopped. */
@Command(
        name = "serve",
        description =
                "Offers the tables of a directory or of a store to repairs, streaming and scans over the network, until"
                        + " stopped.")
public final class ServeCommand extends Subcommand {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR",
            description =
                    "A Cassandra data directory or snapshot, only read; repeat it for several disks. Or a store of"
                            + " Anneal's, which takes in what it receives.")
    private List<Path> data;

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Where to listen; any address but loopback needs certificates.")
    private String listen;

    @Option(
            names = "--staging",
            paramLabel = "DIR",
            description = "Where received rows go, as SSTables to import. Without it the data can only be compared.")
    private Path staging;

    @Option(
            names = "--disk-boundaries",
            paramLabel = "KS=TOKEN[,TOKEN...]",
            description = "The last token of each data directory of a keyspace, as the node's debug.log tells them: no"
                    + " staged SSTable will span two directories. Repeatable.")
    private List<String> diskBoundaries = List.of();

    @Option(
            names = "--allow-table",
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "Offer this table only; repeatable, KS.* for a keyspace.")
    private List<QualifiedTable> allowedTables = List.of();

    @Option(
            names = "--net-rate",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            defaultValue = "0",
            description = "Bytes a second at most that this node fetches when it is told to stream; as fast as it goes"
                    + " by default.")
    private long streamBytesPerSecond;

    @Option(
            names = "--metrics",
            paramLabel = "HOST:PORT",
            description = "Where to show what this node counts, at /metrics as Prometheus reads it: numbers and ids of"
                    + " peers, to everybody who reaches the address.")
    private String metricsAddress;

    @Option(
            names = "--metrics-tables",
            paramLabel = "all|N|KS.TABLE",
            converter = SelectionConverter.class,
            description =
                    "Which tables of a store --metrics shows by themselves, beside the totals of all: all, N for the"
                            + " largest ones, KS.TABLE or KS.* by name; repeatable. The 10 largest by default, 0 for none.")
    private List<TableSelection> shownTables = List.of();

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Option(names = "--schema", paramLabel = "FILE.cql", description = "The schema text, instead of the snapshot's.")
    private Path schemaFile;

    /** Reads which tables are shown: all, so many, or by name. */
    static final class SelectionConverter implements ITypeConverter<TableSelection> {
        private static final Pattern COUNT = Pattern.compile("\\d{1,9}");

        @Override
        public TableSelection convert(String text) {
            if (text.equals("all")) {
                return TableSelection.ALL;
            }
            return COUNT.matcher(text).matches()
                    ? TableSelection.largest(Integer.parseInt(text))
                    : TableSelection.named(
                            new QualifiedTable.Converter().convert(text).toString());
        }
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add("--listen", () -> security.checkListening(this, listenAddress("--listen", listen)))
                .add("--metrics", () -> listenAddress("--metrics", metricsAddress))
                .add("--metrics-tables", () -> require(metricsAddress != null, "--metrics-tables goes with --metrics"))
                .add("--disk-boundaries", this::boundaries);
        security.addChecks(this, checks, true);
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        security.require(this);
        Optional<StoreDirectory> store = store();
        if (store.isPresent()) {
            return serveStore(store.get());
        }
        if (!shownTables.isEmpty()) {
            throw usage("--metrics-tables goes with a store: of Cassandra's tables nothing is counted by table");
        }
        // Peers come later; whoever starts the server must learn now that there is nothing to serve.
        List<QualifiedTable> tables = CassandraDirectory.of(data).tables().stream()
                .map(table -> new QualifiedTable(table.keyspace(), table.table()))
                .toList();
        requireTables(tables);
        if (schemaFile != null) {
            CqlSchema.read(schemaFile);
        }
        Map<String, List<Long>> boundaries = boundaries();
        requireKeyspaces(boundaries.keySet(), tables);
        if (staging == null) {
            if (!boundaries.isEmpty()) {
                throw usage("--disk-boundaries goes with --staging: nothing is written without");
            }
            return serve(replicas(Optional.empty()), UUID::randomUUID, () -> {}, List.of());
        }
        OutputDirectory.refuseAmong(staging, data);
        try (StagingArea area = StagingArea.open(staging, owner(), environment().clock())) {
            return serve(
                    replicas(Optional.of(area)).withDiskBoundaries(boundaries),
                    () -> NodeFile.idOf(staging, host()::newId),
                    area,
                    List.of());
        }
    }

    /** The store that is to be offered, if it is one. */
    private Optional<StoreDirectory> store() throws IOException {
        for (Path directory : data) {
            Optional<StoreDirectory> found = StoreDirectory.ofDirectoryOrData(directory.toRealPath());
            if (found.isPresent()) {
                requireStoreAlone(directory);
                return found;
            }
        }
        return Optional.empty();
    }

    private void requireStoreAlone(Path store) {
        if (data.size() > 1) {
            throw usage("a store is served alone: give one --data, store=" + store);
        }
        if (staging != null) {
            throw usage("--staging goes with Cassandra's directories: a store takes what it receives in at once, store="
                    + store);
        }
        if (!diskBoundaries.isEmpty()) {
            throw usage("--disk-boundaries goes with Cassandra's directories: a store has none, store=" + store);
        }
        if (schemaFile != null) {
            throw usage("--schema goes with Cassandra's directories: a store knows its tables, store=" + store);
        }
    }

    private int serveStore(StoreDirectory found) throws IOException, InterruptedException {
        TableSelection shown = shownTables.stream()
                .reduce(TableSelection::and)
                .orElse(StoreConfig.defaults().tableMetrics());
        StoreConfig config = StoreConfig.defaults().withTableMetrics(shown);
        try (Store store = StoreOpening.forRepairs(found, config, host())) {
            store.unreadable().forEach((table, reason) -> tell(reason));
            List<QualifiedTable> tables = store.tables().stream()
                    .map(table -> new QualifiedTable(
                            table.schema().keyspace(), table.schema().name()))
                    .toList();
            requireTables(tables);
            warnOfAbsent(
                    "--metrics-tables",
                    shown.names().stream()
                            .sorted()
                            .map(new QualifiedTable.Converter()::convert)
                            .toList(),
                    tables);
            return serve(
                    new StoreReplicas(store).named(listen),
                    () -> NodeFile.idOf(store.directory(), host()::newId),
                    store,
                    List.of(store::metricsText));
        }
    }

    private void requireTables(List<QualifiedTable> tables) throws NoSuchFileException {
        if (tables.isEmpty()) {
            throw new DataNotFoundException(DataNotFoundException.Sought.TABLES, data.toString(), "no table here");
        }
        warnOfAbsent("--allow-table", allowedTables, tables);
    }

    private void warnOfAbsent(String option, List<QualifiedTable> named, List<QualifiedTable> tables) {
        for (QualifiedTable name : named) {
            if (tables.stream().noneMatch(table -> name.covers(table.keyspace(), table.table()))) {
                say("warning: " + option + " names no table that is here now, table=" + name + ", data=" + data);
            }
        }
    }

    private void requireKeyspaces(Set<String> keyspaces, List<QualifiedTable> tables) {
        for (String keyspace : keyspaces) {
            require(
                    tables.stream().anyMatch(table -> table.keyspace().equals(keyspace)),
                    "--disk-boundaries names a keyspace that has no table here, keyspace=" + keyspace + ", data="
                            + data);
        }
    }

    private Map<String, List<Long>> boundaries() {
        Map<String, List<Long>> byKeyspace = new HashMap<>();
        for (String text : diskBoundaries) {
            int equals = text.indexOf('=');
            if (equals <= 0) {
                throw usage("--disk-boundaries is not KS=TOKEN[,TOKEN...], given=" + text);
            }
            String keyspace = text.substring(0, equals);
            if (byKeyspace.put(keyspace, tokens(keyspace, text.substring(equals + 1))) != null) {
                throw usage("--disk-boundaries is given twice for a keyspace, keyspace=" + keyspace);
            }
        }
        return byKeyspace;
    }

    /** The last directory's may be given too, as Cassandra tells it: nothing comes after it. */
    private List<Long> tokens(String keyspace, String text) {
        List<Long> tokens = new ArrayList<>();
        for (String token : text.split(",", -1)) {
            try {
                tokens.add(Long.parseLong(token.strip()));
            } catch (NumberFormatException e) {
                throw usage("--disk-boundaries has what is no token, keyspace=" + keyspace + ", token=" + token);
            }
            int last = tokens.size() - 1;
            if (last > 0 && tokens.get(last) <= tokens.get(last - 1)) {
                throw usage("--disk-boundaries must ascend, keyspace=" + keyspace + ", tokens=" + text);
            }
        }
        return tokens;
    }

    private CassandraReplicas replicas(Optional<StagingArea> area) {
        return new CassandraReplicas(data, Optional.ofNullable(schemaFile), area).named(listen);
    }

    /** The data directories; a snapshot's tag may be another next time. */
    private String owner() throws IOException {
        List<String> owners = new ArrayList<>();
        for (Path directory : data) {
            owners.add(NamedReplica.dataDirectory(directory.toRealPath()).toString());
        }
        return String.join(" ", owners);
    }

    /**
     * @param written what holds what peers give, closed behind them
     * @param counted what is shown beside what the node counts
     */
    private int serve(
            ReplicaSource replicas, PeerSecurity.NodeId nodeId, Closeable written, List<Supplier<String>> counted)
            throws IOException, InterruptedException {
        try (CommandNode node = CommandNode.serve(
                RepairRunner.address(listen),
                offered(replicas),
                security.config(this, nodeId),
                host(),
                streamBytesPerSecond,
                handlers -> {})) {
            List<Supplier<String>> texts = new ArrayList<>(node.metricsTexts());
            texts.addAll(counted);
            try (MetricsServer metrics =
                    metricsAddress == null ? null : MetricsServer.start(RepairRunner.address(metricsAddress), texts)) {
                Optional<String> metricsUrl = Optional.ofNullable(metrics)
                        .map(started -> "http://" + PeerAddress.text(started.address()) + "/metrics");
                if (json()) {
                    resultFields().writeStringField("listening", PeerAddress.text(node.address()));
                    resultFields().writeStringField("metrics", metricsUrl.orElse(null));
                    endResult();
                } else {
                    out().println("listening on " + PeerAddress.text(node.address()));
                    metricsUrl.ifPresent(url -> out().println("metrics at " + url));
                    out().flush();
                }
                node.awaitStop(() -> {}, written);
                return ExitCode.YES;
            }
        }
    }

    private ReplicaSource offered(ReplicaSource replicas) {
        return new ReplicaSource() {
            @Override
            public Replica open(String keyspace, String table, Optional<UUID> staged) throws IOException {
                return ServeCommand.this.open(replicas, keyspace, table, staged);
            }

            @Override
            public List<String> tables(String keyspace) throws IOException {
                return replicas.tables(keyspace).stream()
                        .filter(table -> isAllowed(keyspace, table))
                        .toList();
            }

            @Override
            public List<Long> diskBoundaries(String keyspace) {
                return replicas.diskBoundaries(keyspace);
            }
        };
    }

    private boolean isAllowed(String keyspace, String table) {
        return allowedTables.isEmpty() || allowedTables.stream().anyMatch(allowed -> allowed.covers(keyspace, table));
    }

    private Replica open(ReplicaSource replicas, String keyspace, String table, Optional<UUID> staged)
            throws IOException {
        if (!isAllowed(keyspace, table)) {
            throw new RepairException("table is not offered here, table=" + keyspace + "." + table + ", data=" + data);
        }
        return replicas.open(keyspace, table, staged);
    }
}
