package io.anneal.cli.rows;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.CellJson;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.repair.CommandNode;
import io.anneal.cli.repair.NamedReplica;
import io.anneal.cli.repair.PeerSecurity;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyText;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.Slices;
import io.anneal.node.FetchedPartitions;
import io.anneal.node.Replicas;
import io.anneal.repair.RepairRunner;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTables;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.TableSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code anneal explain}: why a read gives what it gives: every file's version of every cell of one partition. */
@Command(
        name = "explain",
        description =
                "Prints every replica's and file's version of every cell of one partition, side by side, and which"
                        + " of them counts. Exits with 1 if nobody has the key.")
public final class ExplainCommand extends Subcommand {
    /** A server does not say which of its files a cell is in. */
    private static final String MERGED = "merged";

    @Parameters(
            index = "0",
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "The table.")
    private QualifiedTable table;

    @Parameters(
            index = "1",
            paramLabel = "KEY",
            description = "The partition key: its columns' values with colons between them, or its bytes as 0x...")
    private String keyText;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "A replica's data directory or snapshot; repeatable. Only read.")
    private List<Path> directories = List.of();

    @Option(
            names = "--replica",
            paramLabel = "HOST:PORT",
            description = "A replica's 'anneal serve'; repeatable. Needs --schema, and certificates or --token-file.")
    private List<String> replicas = List.of();

    @Option(
            names = "--schema",
            paramLabel = "FILE.cql",
            description = "The schema text, instead of that beside the SSTables.")
    private Path schemaFile;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add(
                        "KS.TABLE",
                        () -> require(!table.isWholeKeyspace(), "give one table, not a keyspace, given=" + table))
                .add("--replica", () -> replicas.forEach(address -> peerAddress("--replica", address)));
        security.addChecks(this, checks, !replicas.isEmpty());
    }

    @Override
    protected int execute() throws IOException {
        require(!directories.isEmpty() || !replicas.isEmpty(), "give the replicas as --dir or as --replica");
        if (!replicas.isEmpty()) {
            require(schemaFile != null, "--replica needs --schema FILE.cql");
            security.require(this);
        }
        Deque<Closeable> opened = new ArrayDeque<>();
        try {
            return explain(opened);
        } finally {
            closeAll(opened);
        }
    }

    private static void closeAll(Deque<Closeable> opened) throws IOException {
        IOException failure = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private int explain(Deque<Closeable> opened) throws IOException {
        List<SSTables> tables = new ArrayList<>();
        for (Path directory : directories) {
            TableSource source = TableSource.ofTableOrView(
                    CassandraDirectory.of(directory).table(table.keyspace(), table.table()),
                    Optional.ofNullable(schemaFile),
                    List.of(),
                    view -> {});
            SSTables sstables = SSTables.open(source);
            opened.push(sstables);
            tables.add(sstables);
        }
        TableSchema schema = replicas.isEmpty() ? schema(tables) : givenSchema();
        DecoratedKey key = KeyParser.parse(schema, keyText);
        List<KeySource> sources = new ArrayList<>();
        List<NamedReplica> named = NamedReplica.of(directories, List.of());
        for (int i = 0; i < tables.size(); i++) {
            for (SSTableReader reader : tables.get(i).readers()) {
                Optional<? extends FragmentCursor> cursor = reader.read(schema, keyOf(reader, key), Slices.ALL, false);
                if (cursor.isPresent()) {
                    KeySource source = new KeySource(
                            named.get(i).name(), reader.descriptor().baseName(), cursor.get());
                    opened.push(source);
                    sources.add(source);
                }
            }
        }
        if (!replicas.isEmpty()) {
            CommandNode node = security.node(this);
            opened.push(node);
            for (String address : replicas) {
                remote(node, address, schema, key).ifPresent(sources::add);
            }
        }
        print(schema, key, sources);
        return sources.isEmpty() ? ExitCode.NO : ExitCode.YES;
    }

    /** The partition as a server has it, nothing purged. */
    private static Optional<KeySource> remote(CommandNode node, String address, TableSchema schema, DecoratedKey key)
            throws IOException {
        try (FetchedPartitions asked = FetchedPartitions.ask(
                node.node().peers().open(RepairRunner.address(address)),
                Replicas.THE_ONLY_ONE,
                schema,
                List.of(RingPosition.of(key, PositionInPartition.START)))) {
            return asked.next().map(partition -> new KeySource(address, MERGED, partition));
        }
    }

    /** The key with the token of the SSTable's own partitioner. */
    private static DecoratedKey keyOf(SSTableReader reader, DecoratedKey key) {
        byte[] bytes = key.bytes();
        return new DecoratedKey(reader.partitioner().token(bytes, 0, bytes.length), bytes);
    }

    private TableSchema givenSchema() throws IOException {
        return CqlSchema.read(schemaFile)
                .table(table.keyspace(), table.table())
                .orElseThrow(() -> SchemaException.ofOtherTables(
                        "schema text does not describe the table, table=" + table + ", file=" + schemaFile));
    }

    /** The first with a text: what there is without one are placeholders for the names of the key's columns. */
    private TableSchema schema(List<SSTables> tables) {
        TableSchema first = null;
        for (SSTables sstables : tables) {
            TableSchema schema = sstables.schema();
            if (first != null && sstables.hasSchemaText()) {
                Optional<String> difference = first.differenceFrom(schema);
                if (difference.isPresent()) {
                    throw new SchemaException(
                            "schemas of the directories differ, table=" + table + ", difference=" + difference.get());
                }
            }
            first = first == null ? schema : first;
        }
        return first;
    }

    private void print(TableSchema schema, DecoratedKey key, List<KeySource> sources) throws IOException {
        if (!json()) {
            out().println(table + " " + KeyText.of(schema, new KeyView().wrap(key)) + ", token " + key.token()
                    + (sources.isEmpty() ? ": nobody has the key" : ""));
            new KeyExplanation(schema, sources, new ExplainText(out(), schema, nowSeconds(), sources)).run();
            return;
        }
        JsonGenerator json = resultFields();
        json.writeStringField("table", table.toString());
        CellJson.key(json, schema, new KeyView().wrap(key));
        json.writeNumberField("token", key.token());
        json.writeArrayFieldStart("places");
        new KeyExplanation(schema, sources, new ExplainJson(json, schema)).run();
        json.writeEndArray();
    }
}
