package io.anneal.migrate.rows;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.anneal.key.Partitioner;
import io.anneal.schema.Column;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A table that is reached through a driver's session: its columns, and statements that name them. Immutable. */
final class CassandraTable {
    private final CqlSession session;
    private final String keyspace;
    private final RowTable rows;
    private final String identity;
    private final CassandraBulkConfig config;

    private CassandraTable(
            CqlSession session, String keyspace, RowTable rows, String identity, CassandraBulkConfig config) {
        this.session = session;
        this.keyspace = keyspace;
        this.rows = rows;
        this.identity = identity;
        this.config = config;
    }

    /**
     * Looks at the table's columns.
     *
     * @throws IllegalArgumentException when there is no such table, or one of which CQL tells or takes too little
     */
    static CassandraTable of(CqlSession session, String keyspace, String table, CassandraBulkConfig config) {
        KeyspaceMetadata inKeyspace = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .orElseThrow(
                        () -> new IllegalArgumentException("Cassandra has no such keyspace, keyspace=" + keyspace));
        TableMetadata metadata = inKeyspace
                .getTable(CqlIdentifier.fromInternal(table))
                .orElseThrow(() ->
                        new IllegalArgumentException("Cassandra has no such table, table=" + keyspace + "." + table));
        TableSchema schema = schema(inKeyspace, metadata);
        requireCells(schema);
        requireTokens(session, schema);
        return new CassandraTable(
                session,
                keyspace,
                RowTable.of(schema),
                "cassandra:" + session.getMetadata().getClusterName().orElse("") + " " + schema.qualifiedName() + " "
                        + metadata.getId().map(Object::toString).orElse(""),
                config);
    }

    /** A table as the cluster describes it, with the options that a store needs to make the same. */
    static TableSchema schema(KeyspaceMetadata keyspace, TableMetadata table) {
        Collection<UserDefinedType> types = keyspace.getUserDefinedTypes().values();
        String text = Stream.concat(types.stream().map(type -> type.describe(false)), Stream.of(table.describe(false)))
                .collect(Collectors.joining("\n"));
        return CqlSchema.parse(text, "schema of the cluster")
                .table(keyspace.getName().asInternal(), table.getName().asInternal())
                .orElseThrow(() -> new IllegalArgumentException("cluster does not describe the table, table="
                        + keyspace.getName().asInternal() + "."
                        + table.getName().asInternal()));
    }

    private static void requireCells(TableSchema schema) {
        List<String> refused = Stream.concat(schema.staticColumns().stream(), schema.regularColumns().stream())
                .filter(column -> column.isComplex() || column.type().isCounter())
                .map(column -> column.name() + " " + column.type().cqlName())
                .toList();
        if (!refused.isEmpty()) {
            throw new IllegalArgumentException(
                    "CQL does not tell, nor take, the write times of elements of collections that are"
                            + " not frozen, and the shares of counters: copy from the SSTables' directories to an embedded store"
                            + " (SSTableSource), table=" + schema.qualifiedName() + ", columns=" + refused);
        }
    }

    private static void requireTokens(CqlSession session, TableSchema schema) {
        Optional<String> other = session.getMetadata()
                .getTokenMap()
                .map(TokenMap::getPartitionerName)
                .filter(name -> !name.equals(Partitioner.MURMUR3.className()));
        if (other.isPresent()) {
            throw new IllegalArgumentException("only Murmur3 tokens are cut into ranges, table="
                    + schema.qualifiedName() + ", partitioner=" + other.get());
        }
    }

    RowTable rows() {
        return rows;
    }

    String identity() {
        return identity;
    }

    CqlSession session() {
        return session;
    }

    String keyspace() {
        return keyspace;
    }

    CassandraBulkConfig config() {
        return config;
    }

    /** Keyspace and table as CQL names them. */
    String name() {
        TableSchema schema = rows.stored();
        return quoted(schema.keyspace()) + "." + quoted(schema.name());
    }

    static String quoted(String name) {
        return CqlIdentifier.fromInternal(name).asCql(true);
    }

    static String names(List<Column> columns) {
        return columns.stream().map(column -> quoted(column.name())).collect(Collectors.joining(", "));
    }

    /** {@code a = ? AND b = ?} */
    static String equal(List<Column> columns, String separator) {
        return columns.stream().map(column -> quoted(column.name()) + " = ?").collect(Collectors.joining(separator));
    }

    /** The columns of the whole key. */
    List<Column> primaryKey() {
        TableSchema schema = rows.stored();
        return Stream.concat(schema.partitionKey().stream(), schema.clustering().stream())
                .toList();
    }

    PreparedStatement prepared(String text) {
        return session.prepare(SimpleStatement.builder(text)
                .setIdempotence(true)
                .setConsistencyLevel(config.consistency())
                .setTimeout(config.timeout())
                .setPageSize(config.pageRows())
                .build());
    }
}
