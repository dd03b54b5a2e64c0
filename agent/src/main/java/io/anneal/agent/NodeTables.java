package io.anneal.agent;

import com.datastax.dse.driver.api.core.config.DseDriverOption;
import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.anneal.net.PeerAddress;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/** What one node tells of its tables by CQL, where JMX does not. Asks that node and no other. Safe for any thread. */
final class NodeTables implements Closeable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String address;
    private final CqlSession session;

    private NodeTables(String address, CqlSession session) {
        this.address = address;
        this.session = session;
    }

    /**
     * Connects, and sees that who answers there is the node.
     *
     * @param cql where the node listens
     * @param hostId of the node that is asked
     * @param dataCentre of the same
     * @throws LiveNodeException when another node answers: its truncations and settings are its own
     */
    static NodeTables connect(LiveNodeConfig config, InetSocketAddress cql, UUID hostId, String dataCentre)
            throws LiveNodeException {
        String address = PeerAddress.text(cql);
        CqlSessionBuilder builder = CqlSession.builder()
                .withConfigLoader(asFewQuestions())
                .addContactPoint(cql)
                .withLocalDatacenter(dataCentre)
                .withNodeDistanceEvaluator((node, centre) -> distance(node, cql));
        config.cqlLogin().ifPresent(login -> builder.withAuthCredentials(login.user(), login.password()));
        try {
            if (config.cqlTls()) {
                builder.withSslContext(SSLContext.getDefault());
            }
            return requireNode(new NodeTables(address, builder.build()), hostId, config);
        } catch (DriverException e) {
            throw failed(address, "connect", e);
        } catch (NoSuchAlgorithmException e) {
            throw new LiveNodeException("this Java has no TLS by default, address=" + address + ", reason=" + e, e);
        }
    }

    private static NodeTables requireNode(NodeTables connected, UUID hostId, LiveNodeConfig config)
            throws LiveNodeException {
        boolean isNode = false;
        try {
            UUID answers =
                    connected.rows("SELECT host_id FROM system.local").get(0).getUuid("host_id");
            if (!hostId.equals(answers)) {
                throw new LiveNodeException(
                        "CQL and JMX are of two nodes: give --cql of the node that --jmx names, cql="
                                + connected.address + ", cql-host-id=" + answers + ", jmx="
                                + PeerAddress.text(config.jmx())
                                + ", jmx-host-id=" + hostId);
            }
            isNode = true;
            return connected;
        } finally {
            if (!isNode) {
                connected.close();
            }
        }
    }

    /**
     * By default the driver reads the whole schema, and makes a map of it and of the ring, which costs the node more than all that it
     * is asked here; and it loads libraries for a clock and for reports that nobody wants.
     */
    private static DriverConfigLoader asFewQuestions() {
        return DriverConfigLoader.programmaticBuilder()
                .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                .withBoolean(DefaultDriverOption.METADATA_TOKEN_MAP_ENABLED, false)
                .withBoolean(DefaultDriverOption.TIMESTAMP_GENERATOR_FORCE_JAVA_CLOCK, true)
                .withBoolean(DseDriverOption.MONITOR_REPORTING_ENABLED, false)
                .withString(DefaultDriverOption.METRICS_FACTORY_CLASS, "NoopMetricsFactory")
                .withInt(DefaultDriverOption.NETTY_IO_SIZE, 1)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SIZE, 1)
                // A busy node answers late, and no run is worth starting anew for that. By default it is 2 and 5 s.
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, PATIENCE)
                // Each of its two groups of threads would wait for two seconds, to see whether anybody asks still.
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                .build();
    }

    /**
     * The driver finds the other nodes by itself. What they would answer is theirs: their own truncations, the schema as they know it.
     * So it asks at the one address, also where that is another node's, which is then seen.
     */
    private static NodeDistance distance(Node node, InetSocketAddress cql) {
        return cql.equals(node.getEndPoint().resolve()) ? NodeDistance.LOCAL : NodeDistance.IGNORED;
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

    boolean hasKeyspace(String name) throws LiveNodeException {
        return !rows("SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?", name)
                .isEmpty();
    }

    /** None if there is no such keyspace. */
    List<String> names(String keyspace) throws LiveNodeException {
        return ids(keyspace).keySet().stream().sorted().toList();
    }

    /** By name; of a keyspace that is not there none. */
    Map<String, UUID> ids(String keyspace) throws LiveNodeException {
        Map<String, UUID> ids = new HashMap<>();
        rows("SELECT table_name, id FROM system_schema.tables WHERE keyspace_name = ?", keyspace)
                .forEach(row -> ids.put(row.getString("table_name"), row.getUuid("id")));
        return ids;
    }

    /** The same of one table; empty if it is not there. */
    Map<String, UUID> id(String keyspace, String table) throws LiveNodeException {
        return rows("SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", keyspace, table)
                .stream()
                .collect(Collectors.toMap(row -> table, row -> row.getUuid("id")));
    }

    /** Empty if there is no such table. */
    Optional<LiveTable> table(String keyspace, String name) throws LiveNodeException {
        List<Row> found =
                rows("SELECT * FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", keyspace, name);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Row row = found.get(0);
        TableFacts facts = facts(row, keyspace, name);
        Set<String> flags = row.getSet("flags", String.class);
        return Optional.of(new LiveTable(
                keyspace,
                name,
                row.getUuid("id"),
                facts.gcGraceSeconds(),
                flags != null && flags.contains("counter"),
                facts.objections()));
    }

    private TableFacts facts(Row table, String keyspace, String name) throws LiveNodeException {
        // A 5.0.9 without cdc_enabled did not tell it of its tables. Where settings differ by node, each has to be
        // asked.
        boolean cdc = table.getColumnDefinitions().contains("cdc") && table.getBoolean("cdc");
        boolean hasViews = hasView(keyspace, name);
        Row replicated = rows("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace)
                .get(0);
        return new TableFacts(
                table.getInt("gc_grace_seconds"),
                map(table, "compaction"),
                map(table, "compression"),
                cdc,
                hasViews,
                map(replicated, "replication"),
                text(replicated, "replication_type"),
                text(table, "transactional_mode"),
                cdc && !isOff("cdc_on_repair_enabled"),
                hasViews && !isOff("materialized_views_on_repair_enabled"));
    }

    private static Map<String, String> map(Row row, String column) {
        Map<String, String> known = row.getMap(column, String.class, String.class);
        return known == null ? Map.of() : known;
    }

    private static Optional<String> text(Row row, String column) {
        return row.getColumnDefinitions().contains(column)
                ? Optional.ofNullable(row.getString(column))
                : Optional.empty();
    }

    private boolean isOff(String setting) throws LiveNodeException {
        return setting(setting).filter("false"::equals).isPresent();
    }

    /** A setting of the node, as it is now; empty if this version has none of the name. */
    Optional<String> setting(String name) throws LiveNodeException {
        return rows("SELECT value FROM system_views.settings WHERE name = ?", name).stream()
                .map(row -> row.getString("value"))
                .filter(Objects::nonNull)
                .findFirst();
    }

    private boolean hasView(String keyspace, String table) throws LiveNodeException {
        return rows("SELECT base_table_name FROM system_schema.views WHERE keyspace_name = ?", keyspace).stream()
                .anyMatch(view -> table.equals(view.getString("base_table_name")));
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
                "Cassandra did not answer by CQL, address=" + address + ", what=" + what + ", reason=" + reason(e), e);
    }

    /** The driver wraps what a node failed with in what it tried, for each node: here it is one. */
    static Throwable reason(DriverException e) {
        Throwable reason = e;
        if (e instanceof AllNodesFailedException all && !all.getAllErrors().isEmpty()) {
            reason = all.getAllErrors().values().iterator().next().get(0);
        }
        // One may suppress what it is the cause of.
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable next = reason; next != null && seen.add(next); next = beneath(reason)) {
            reason = next;
        }
        return reason;
    }

    /** Of an address where nobody listens the driver says that it could not write there, and suppresses why. */
    private static Throwable beneath(Throwable failure) {
        return failure.getSuppressed().length > 0 ? failure.getSuppressed()[0] : failure.getCause();
    }

    @Override
    public void close() {
        session.close();
    }
}
