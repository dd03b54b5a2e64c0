package io.anneal.agent;

import io.anneal.net.PeerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

/** What one node tells of its tables by CQL, where JMX does not. Asks that node and no other. Safe for any thread. */
final class NodeTables implements Closeable {
    private final String address;
    private final CqlConnection connection;

    private NodeTables(String address, CqlConnection connection) {
        this.address = address;
        this.connection = connection;
    }

    /**
     * Connects, and sees that who answers there is the node.
     *
     * @param cql where the node listens
     * @param hostId of the node that is asked
     * @throws LiveNodeException when another node answers: its truncations and settings are its own
     */
    static NodeTables connect(LiveNodeConfig config, InetSocketAddress cql, UUID hostId) throws LiveNodeException {
        String address = PeerAddress.text(cql);
        try {
            Optional<SSLSocketFactory> tls =
                    config.cqlTls() ? Optional.of(SSLContext.getDefault().getSocketFactory()) : Optional.empty();
            return requireNode(
                    new NodeTables(address, CqlConnection.open(cql, config.cqlLogin(), tls, config.answerLimit())),
                    hostId,
                    config);
        } catch (LiveNodeException e) {
            throw e;
        } catch (IOException e) {
            throw failed(address, "connect", e);
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
        return rows("SELECT host_id FROM system.local").get(0).uuid("host_id");
    }

    /** By table id, what the node keeps of the last truncation. */
    Map<UUID, String> truncations() throws LiveNodeException {
        return rows("SELECT truncated_at FROM system.local").get(0).digitsByUuid("truncated_at");
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
                .forEach(row -> ids.put(row.text("table_name").orElseThrow(), row.uuid("id")));
        return ids;
    }

    /** The same of one table; empty if it is not there. */
    Map<String, UUID> id(String keyspace, String table) throws LiveNodeException {
        Map<String, UUID> ids = new HashMap<>();
        rows("SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", keyspace, table)
                .forEach(row -> ids.put(table, row.uuid("id")));
        return ids;
    }

    /** Empty if there is no such table. */
    Optional<LiveTable> table(String keyspace, String name) throws LiveNodeException {
        List<CqlRow> found =
                rows("SELECT * FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", keyspace, name);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        CqlRow row = found.get(0);
        TableFacts facts = facts(row, keyspace, name);
        return Optional.of(new LiveTable(
                keyspace,
                name,
                row.uuid("id"),
                facts.gcGraceSeconds(),
                row.texts("flags").contains("counter"),
                facts.objections()));
    }

    private TableFacts facts(CqlRow table, String keyspace, String name) throws LiveNodeException {
        // A 5.0.9 without cdc_enabled did not tell it of its tables. Where settings differ by node, each has to be
        // asked.
        boolean cdc = table.has("cdc") && table.isTrue("cdc");
        boolean hasViews = hasView(keyspace, name);
        CqlRow replicated = rows("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace)
                .get(0);
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

    private static Optional<String> text(CqlRow row, String column) {
        return row.has(column) ? row.text(column) : Optional.empty();
    }

    private boolean isOff(String setting) throws LiveNodeException {
        return setting(setting).filter("false"::equals).isPresent();
    }

    /** A setting of the node, as it is now; empty if this version has none of the name. */
    Optional<String> setting(String name) throws LiveNodeException {
        return rows("SELECT value FROM system_views.settings WHERE name = ?", name).stream()
                .flatMap(row -> row.text("value").stream())
                .findFirst();
    }

    private boolean hasView(String keyspace, String table) throws LiveNodeException {
        return rows("SELECT base_table_name FROM system_schema.views WHERE keyspace_name = ?", keyspace).stream()
                .anyMatch(view ->
                        view.text("base_table_name").filter(table::equals).isPresent());
    }

    private List<CqlRow> rows(String query, Object... values) throws LiveNodeException {
        try {
            return connection.rows(query, values);
        } catch (IOException e) {
            throw failed(address, query, e);
        }
    }

    private static LiveNodeException failed(String address, String what, IOException e) {
        return new LiveNodeException(
                "Cassandra did not answer by CQL, address=" + address + ", what=" + what + ", reason="
                        + (e instanceof CqlConnection.RefusedException ? e.getMessage() : e),
                e);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
