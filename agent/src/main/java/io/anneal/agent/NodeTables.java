package io.anneal.agent;

import io.anneal.environment.HostEnvironment;
import io.anneal.net.PeerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

/** What one node tells of its tables by CQL, where JMX does not. Asks that node and no other. Safe for any thread. */
final class NodeTables implements Closeable {
    private final String address;
    private final CqlConnection connection;

    /** Of what a node answers. What it does not find there is the node's failure, which then is named. */
    @FunctionalInterface
    private interface Reading<T> {
        T of(List<CqlRow> rows) throws IOException;
    }

    private NodeTables(String address, CqlConnection connection) {
        this.address = address;
        this.connection = connection;
    }

    /**
     * Connects, and sees that who answers there is the node.
     *
     * @param host for time, which answers must not outlast
     * @param cql where the node listens
     * @param hostId of the node that is asked
     * @throws LiveNodeException when another node answers: its truncations and settings are its own
     */
    static NodeTables connect(LiveNodeConfig config, HostEnvironment host, InetSocketAddress cql, UUID hostId)
            throws LiveNodeException {
        String address = PeerAddress.text(cql);
        config.requireHidden(config.cqlLogin(), config.cqlTls(), cql);
        try {
            Optional<SSLSocketFactory> tls =
                    config.cqlTls() ? Optional.of(SSLContext.getDefault().getSocketFactory()) : Optional.empty();
            return requireNode(
                    new NodeTables(
                            address,
                            CqlConnection.open(
                                    cql,
                                    config.cqlLogin(),
                                    tls,
                                    config.tlsName(),
                                    host.nanoTime(),
                                    config.answerLimit())),
                    hostId,
                    config);
        } catch (LiveNodeException e) {
            throw e;
        } catch (IOException e) {
            throw LiveNodeException.unreachable(
                    text(address, config.cqlTls() ? "connect over TLS" : "connect without TLS", e), e);
        } catch (NoSuchAlgorithmException e) {
            throw new LiveNodeException("this Java has no TLS by default, address=" + address + ", reason=" + e, e);
        }
    }

    private static NodeTables requireNode(NodeTables connected, UUID hostId, LiveNodeConfig config) throws IOException {
        boolean isNode = false;
        try {
            UUID answers = connected.hostId();
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

    UUID hostId() throws LiveNodeException {
        return ask(rows -> first(rows).uuid("host_id"), "SELECT host_id FROM system.local");
    }

    /** By table id, what the node keeps of the last truncation. */
    Map<UUID, String> truncations() throws LiveNodeException {
        return ask(rows -> first(rows).digitsByUuid("truncated_at"), "SELECT truncated_at FROM system.local");
    }

    boolean hasKeyspace(String name) throws LiveNodeException {
        return ask(
                rows -> !rows.isEmpty(),
                "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
                name);
    }

    /** None if there is no such keyspace. */
    List<String> names(String keyspace) throws LiveNodeException {
        return ids(keyspace).keySet().stream().sorted().toList();
    }

    /** By name; of a keyspace that is not there none. */
    Map<String, UUID> ids(String keyspace) throws LiveNodeException {
        return ask(
                NodeTables::idByName,
                "SELECT table_name, id FROM system_schema.tables WHERE keyspace_name = ?",
                keyspace);
    }

    /** Of all keyspaces. */
    Set<UUID> ids() throws LiveNodeException {
        return ask(
                rows -> {
                    Set<UUID> ids = new HashSet<>();
                    for (CqlRow row : rows) {
                        ids.add(row.uuid("id"));
                    }
                    return ids;
                },
                "SELECT id FROM system_schema.tables");
    }

    /** The same of one table; empty if it is not there. */
    Map<String, UUID> id(String keyspace, String table) throws LiveNodeException {
        return ask(
                NodeTables::idByName,
                "SELECT table_name, id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                keyspace,
                table);
    }

    private static Map<String, UUID> idByName(List<CqlRow> rows) throws IOException {
        Map<String, UUID> ids = new HashMap<>();
        for (CqlRow row : rows) {
            ids.put(row.requiredText("table_name"), row.uuid("id"));
        }
        return ids;
    }

    /** Empty if there is no such table. */
    Optional<LiveTable> table(String keyspace, String name) throws LiveNodeException {
        return ask(
                rows -> rows.isEmpty() ? Optional.empty() : Optional.of(table(rows.get(0), keyspace, name)),
                "SELECT * FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                keyspace,
                name);
    }

    private LiveTable table(CqlRow row, String keyspace, String name) throws IOException {
        TableFacts facts = facts(row, keyspace, name);
        return new LiveTable(
                keyspace,
                name,
                row.uuid("id"),
                facts.gcGraceSeconds(),
                row.texts("flags").contains("counter"),
                facts.objections());
    }

    private TableFacts facts(CqlRow table, String keyspace, String name) throws IOException {
        // A 5.0.9 without cdc_enabled did not tell it of its tables. Where settings differ by node, each has to be
        // asked.
        boolean cdc = table.has("cdc") && table.isTrue("cdc");
        boolean hasViews = baseTables(keyspace).contains(name);
        CqlRow replicated =
                ask(NodeTables::first, "SELECT * FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace);
        return new TableFacts(
                table.integer("gc_grace_seconds"),
                table.textByText("compaction"),
                table.textByText("compression"),
                cdc,
                hasViews,
                replicated.textByText("replication"),
                text(replicated, "replication_type"),
                text(table, "transactional_mode"),
                cdc && !isOff("cdc_on_repair_enabled"),
                hasViews && !isOff("materialized_views_on_repair_enabled"));
    }

    private static Optional<String> text(CqlRow row, String column) throws IOException {
        return row.has(column) ? row.text(column) : Optional.empty();
    }

    private boolean isOff(String setting) throws LiveNodeException {
        return setting(setting).filter("false"::equals).isPresent();
    }

    /** A setting of the node, as it is now; empty if this version has none of the name. */
    Optional<String> setting(String name) throws LiveNodeException {
        return ask(
                rows -> rows.isEmpty() ? Optional.empty() : rows.get(0).text("value"),
                "SELECT value FROM system_views.settings WHERE name = ?",
                name);
    }

    /** Of which there are views. */
    private Set<String> baseTables(String keyspace) throws LiveNodeException {
        return ask(
                rows -> {
                    Set<String> names = new HashSet<>();
                    for (CqlRow row : rows) {
                        names.add(row.requiredText("base_table_name"));
                    }
                    return names;
                },
                "SELECT base_table_name FROM system_schema.views WHERE keyspace_name = ?",
                keyspace);
    }

    private static CqlRow first(List<CqlRow> rows) throws IOException {
        if (rows.isEmpty()) {
            throw new IOException("answer has no row");
        }
        return rows.get(0);
    }

    private <T> T ask(Reading<T> reading, String query, Object... values) throws LiveNodeException {
        try {
            return reading.of(connection.rows(query, values));
        } catch (LiveNodeException e) {
            throw e;
        } catch (IOException e) {
            throw failed(address, query, e);
        }
    }

    private static LiveNodeException failed(String address, String what, IOException e) {
        return new LiveNodeException(text(address, what, e), e);
    }

    private static String text(String address, String what, IOException e) {
        return "Cassandra did not answer by CQL, address=" + address + ", what=" + what + ", reason="
                + (e instanceof CqlConnection.RefusedException ? e.getMessage() : e);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
