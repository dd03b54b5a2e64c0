package io.anneal.cli.repair;

import com.google.common.net.InetAddresses;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Replica;
import io.anneal.node.StagingArea;
import io.anneal.repair.RepairException;
import io.anneal.repair.RepairRunner;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.TableDirectories;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal serve}: offers the tables of a directory to repairs, until it is stopped. */
@Command(name = "serve", description = "Offers the tables of a directory to repairs over the network, until stopped.")
public final class ServeCommand extends Subcommand {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR",
            description = "A Cassandra data directory or snapshot; repeat it for several disks. Only read.")
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
            names = "--allow-table",
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "Offer this table only; repeatable, KS.* for a keyspace.")
    private List<QualifiedTable> allowedTables = List.of();

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Option(names = "--schema", paramLabel = "FILE.cql", description = "The schema text, instead of the snapshot's.")
    private Path schemaFile;

    @Override
    protected int execute() throws IOException, InterruptedException {
        security.check(this);
        // Peers come later; whoever starts the server must learn now that there is nothing to serve.
        List<TableDirectories> tables = CassandraDirectory.of(data).tables();
        if (tables.isEmpty()) {
            throw new NoSuchFileException(data.toString(), null, "no table here");
        }
        for (QualifiedTable allowed : allowedTables) {
            if (tables.stream().noneMatch(table -> allowed.covers(table.keyspace(), table.table()))) {
                say("warning: --allow-table names no table that is here now, table=" + allowed + ", data=" + data);
            }
        }
        if (staging == null) {
            return serve(Optional.empty());
        }
        NamedReplica.refuseOverlap(staging, data);
        try (StagingArea directory =
                StagingArea.open(staging, owner(), environment().clock())) {
            return serve(Optional.of(directory));
        }
    }

    /** The data directories; a snapshot's tag may be another next time. */
    private String owner() throws IOException {
        List<String> owners = new ArrayList<>();
        for (Path directory : data) {
            owners.add(NamedReplica.dataDirectory(directory.toRealPath()).toString());
        }
        return String.join(" ", owners);
    }

    private int serve(Optional<StagingArea> directory) throws IOException, InterruptedException {
        CassandraReplicas replica = new CassandraReplicas(data, Optional.ofNullable(schemaFile), directory);
        try (CommandNode node = CommandNode.serve(
                RepairRunner.address(listen),
                (keyspace, table, staged) -> open(replica, keyspace, table, staged),
                security.config(this, UUID::randomUUID),
                host())) {
            out().println("listening on " + text(node.address()));
            out().flush();
            node.awaitStop();
            return ExitCode.YES;
        }
    }

    /** As {@code --listen} and {@code --replica} take it. */
    public static String text(InetSocketAddress address) {
        return InetAddresses.toUriString(address.getAddress()) + ":" + address.getPort();
    }

    private Replica open(CassandraReplicas replica, String keyspace, String table, Optional<UUID> staged)
            throws IOException {
        if (!allowedTables.isEmpty() && allowedTables.stream().noneMatch(allowed -> allowed.covers(keyspace, table))) {
            throw new RepairException("table is not offered here, table=" + keyspace + "." + table + ", data=" + data);
        }
        return replica.open(keyspace, table, staged);
    }
}
