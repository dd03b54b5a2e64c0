package io.anneal.agent;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.net.ssl.SSLContext;

/** What one node tells of its tables by CQL, where JMX does not. Asks that node and no other. Safe for any thread. */
final class NodeTables implements Closeable {
    private static final String EAGER_EXPIRY = "unsafe_aggressive_sstable_expiration";

    private final String address;
    private final CqlSession session;

    private NodeTables(String address, CqlSession session) {
        this.address = address;
        this.session = session;
    }

    /**
     * @param hostId of the node that is asked
     * @param dataCentre of the same
     */
    static NodeTables connect(LiveNodeConfig config, UUID hostId, String dataCentre) throws LiveNodeException {
        InetSocketAddress cql = config.cql();
        String address = cql.getHostString() + ":" + cql.getPort();
        CqlSessionBuilder builder = CqlSession.builder()
                .addContactPoint(cql)
                .withLocalDatacenter(dataCentre)
                .withNodeDistanceEvaluator((node, centre) -> distance(node, hostId));
        config.cqlLogin().ifPresent(login -> builder.withAuthCredentials(login.user(), login.password()));
        try {
            if (config.cqlTls()) {
                builder.withSslContext(SSLContext.getDefault());
            }
            return new NodeTables(address, builder.build());
        } catch (DriverException e) {
            throw failed(address, "connect", e);
        } catch (NoSuchAlgorithmException e) {
            throw new LiveNodeException("this Java has no TLS by default, address=" + address + ", reason=" + e, e);
        }
    }

    /** What others would answer is theirs: their own truncations, the schema as they know it. */
    private static NodeDistance distance(Node node, UUID hostId) {
        return hostId.equals(node.getHostId()) ? NodeDistance.LOCAL : NodeDistance.IGNORED;
    }

    /** By table id, what the node keeps of the last truncation. */
    Map<UUID, String> truncations() throws LiveNodeException {
        Row local = rows("SELECT truncated_at FROM system.local").get(0);
        Map<UUID, ByteBuffer> kept = local.getMap("truncated_at", UUID.class, ByteBuffer.class);
        Map<UUID, String> texts = new HashMap<>();
        if (kept != null) {
            kept.forEach((id, bytes) -> texts.put(id, hexadecimal(bytes)));
        }
        return texts;
    }

    private static String hexadecimal(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }

    /** None if there is no such keyspace. */
    List<String> names(String keyspace) throws LiveNodeException {
        return rows("SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", keyspace).stream()
                .map(row -> row.getString("table_name"))
                .sorted()
                .toList();
    }

    /** Empty if there is no such table. */
    Optional<LiveTable> table(String keyspace, String name) throws LiveNodeException {
        List<Row> found =
                rows("SELECT * FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", keyspace, name);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Row row = found.get(0);
        int gcGraceSeconds = row.getInt("gc_grace_seconds");
        List<String> objections = new ArrayList<>();
        if (gcGraceSeconds == 0) {
            objections.add("its gc_grace is 0: deletions are purged at once");
        }
        Map<String, String> compaction = row.getMap("compaction", String.class, String.class);
        if (compaction != null && Boolean.parseBoolean(compaction.get(EAGER_EXPIRY))) {
            objections.add("it drops expired SSTables without a look at others: " + EAGER_EXPIRY);
        }
        Set<String> flags = row.getSet("flags", String.class);
        if (flags != null && flags.contains("counter")) {
            objections.add("it has counters, which a node keeps in a cache that an import does not reach");
        }
        // A 5.0.9 without cdc_enabled did not tell it of its tables. Where settings differ by node, each has to be
        // asked.
        if (row.getColumnDefinitions().contains("cdc") && row.getBoolean("cdc")) {
            objections.add("it has CDC, which an import bypasses");
        }
        if (hasView(keyspace, name)) {
            objections.add("a materialized view is built on it, which an import bypasses");
        }
        if (isTransient(keyspace)) {
            objections.add("its keyspace has transient replication");
        }
        return Optional.of(new LiveTable(keyspace, name, row.getUuid("id"), gcGraceSeconds, objections));
    }

    private boolean hasView(String keyspace, String table) throws LiveNodeException {
        return rows("SELECT base_table_name FROM system_schema.views WHERE keyspace_name = ?", keyspace).stream()
                .anyMatch(view -> table.equals(view.getString("base_table_name")));
    }

    private boolean isTransient(String keyspace) throws LiveNodeException {
        Row row = rows("SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace)
                .get(0);
        Map<String, String> replication = row.getMap("replication", String.class, String.class);
        return replication != null
                && replication.entrySet().stream()
                        .anyMatch(entry -> !entry.getKey().equals("class")
                                && entry.getValue().contains("/"));
    }

    private List<Row> rows(String query, Object... values) throws LiveNodeException {
        try {
            return session.execute(SimpleStatement.newInstance(query, values)).all();
        } catch (DriverException e) {
            throw failed(address, query, e);
        }
    }

    private static LiveNodeException failed(String address, String what, DriverException e) {
        return new LiveNodeException(
                "Cassandra did not answer by CQL, address=" + address + ", what=" + what + ", reason=" + e, e);
    }

    @Override
    public void close() {
        session.close();
    }
}
