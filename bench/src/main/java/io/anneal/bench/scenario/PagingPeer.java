package io.anneal.bench.scenario;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.bench.peer.CassandraStore;
import io.anneal.bench.peer.PeerRun;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.Table;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Cassandra's own paging over the same SSTables, inside its process: no wire, and nothing is encoded for one. */
final class PagingPeer implements Closeable {
    private static final int HEAP_MIB = 2048;
    private static final int MEMTABLES_MIB = 256;
    private static final String DATACENTER = "datacenter1";
    /** A page of a busy node takes longer than the driver waits by itself. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final String SNAPSHOT = "peer";

    private final TemporaryDirectory directory;
    private final CassandraStore store;

    private PagingPeer(TemporaryDirectory directory, CassandraStore store) {
        this.directory = directory;
        this.store = store;
    }

    /** Starts a node with one table. */
    static PagingPeer start(TableSchema schema, SSTableVersion version) throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-cassandra");
        try {
            CassandraPeerConfig config = CassandraPeerConfig.in(directory.path())
                    .withVersion(PeerSide.writtenBy(version))
                    .withHeapMiB(HEAP_MIB);
            CassandraStore store = CassandraStore.start(
                    config,
                    CassandraStore.Memtables.TRIE,
                    MEMTABLES_MIB,
                    schema.keyspace(),
                    schema.name(),
                    SchemaText.print(schema));
            store.autoCompaction(false);
            return new PagingPeer(directory, store);
        } catch (RuntimeException e) {
            try (directory) {
                throw e;
            }
        }
    }

    static void take(Optional<PagingPeer> peer, Table table) throws IOException {
        if (peer.isPresent()) {
            peer.get().take(table);
        }
    }

    /** Gives it the table's SSTables in the place of what it had. */
    private void take(Table table) throws IOException {
        store.truncate();
        Path snapshot = table.snapshot(SNAPSHOT);
        store.take(snapshot, table.sstableCount());
        table.deleteSnapshot(SNAPSHOT);
    }

    /** All rows of the queries, each in a thread of its own. */
    Run read(List<ReadQuery> queries, TableSchema schema, int pageRows) {
        PeerRun run = store.page(
                pageRows,
                queries.stream().map(query -> statement(query, schema)).toList());
        return new Run(run.rows(), 0, run.wallNanos(), run.cpuNanos(), 0);
    }

    private static String statement(ReadQuery query, TableSchema schema) {
        String select = "SELECT * FROM " + schema.qualifiedName();
        if (query.keys().isEmpty()) {
            TokenRange.Linear range = query.ranges().get(0);
            return select + " WHERE token(id) >= " + range.first() + " AND token(id) <= " + range.last();
        }
        long id = ByteBuffer.wrap(query.keys().get(0).bytes()).getLong();
        return select + " WHERE id = " + id + (query.reversed() ? " ORDER BY line DESC" : "");
    }

    /** Of the Java driver; closed by the caller. */
    CqlSession session() {
        return CqlSession.builder()
                .addContactPoint(new InetSocketAddress(InetAddress.getLoopbackAddress(), store.cqlPort()))
                .withLocalDatacenter(DATACENTER)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, TIMEOUT)
                        .build())
                .build();
    }

    /** Of its process. */
    long pid() {
        return store.pid();
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            store.close();
        }
    }
}
