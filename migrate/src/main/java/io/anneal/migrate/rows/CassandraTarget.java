package io.anneal.migrate.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.migrate.bulk.BulkRange;
import io.anneal.migrate.bulk.BulkTarget;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A table in Cassandra or ScyllaDB, written through the Java driver: the cells of a row that have one write time and one expiry make a
 * statement {@code USING TIMESTAMP AND TTL}, the statements of a row an unlogged batch, which one partition takes as one
 * mutation. What has expired by now is left out. The session stays its opener's. Any thread.
 *
 * <p>A back-fill must take less time for a range than the table's {@code gc_grace_seconds}: what is deleted meanwhile, on both sides,
 * is remembered there for so long and hides the copy that comes late.
 */
public final class CassandraTarget implements BulkTarget<RowEntry> {
    /** What cells have in common that one statement writes. */
    private record Times(long micros, long expirySeconds) {}

    /** {@code USING TIMESTAMP ? AND TTL ?} comes first. */
    private static final int TIMES = 2;

    private final CassandraTable table;
    private final InstantSource clock;
    /** Sets the row marker, too. */
    private final PreparedStatement insert;
    /** Absent where there are no such columns. */
    private final Optional<PreparedStatement> update;

    private final Optional<PreparedStatement> updateStatic;
    private final PreparedStatement delete;

    private CassandraTarget(CassandraTable table, InstantSource clock) {
        this.table = table;
        this.clock = clock;
        TableSchema schema = table.rows().stored();
        List<Column> regular = table.rows().columns(false);
        List<Column> all = new ArrayList<>(table.primaryKey());
        all.addAll(regular);
        insert = table.prepared("INSERT INTO " + table.name() + " (" + CassandraTable.names(all) + ") VALUES ("
                + String.join(", ", Collections.nCopies(all.size(), "?"))
                + ") USING TIMESTAMP ? AND TTL ?");
        update = update(regular, table.primaryKey());
        updateStatic = update(table.rows().columns(true), schema.partitionKey());
        delete = table.prepared("DELETE FROM " + table.name() + " USING TIMESTAMP ? WHERE "
                + CassandraTable.equal(table.primaryKey(), " AND "));
    }

    private Optional<PreparedStatement> update(List<Column> columns, List<Column> key) {
        return columns.isEmpty()
                ? Optional.empty()
                : Optional.of(table.prepared("UPDATE " + table.name() + " USING TIMESTAMP ? AND TTL ? SET "
                        + CassandraTable.equal(columns, ", ") + " WHERE " + CassandraTable.equal(key, " AND ")));
    }

    /**
     * Takes a table of the session's cluster.
     *
     * @param clock what TTLs that are left are counted from
     * @throws IllegalArgumentException when there is no such table, or it has collections that are not frozen or counters
     */
    public static CassandraTarget open(
            CqlSession session, String keyspace, String table, CassandraBulkConfig config, InstantSource clock)
            throws IOException {
        try {
            return new CassandraTarget(CassandraTable.of(session, keyspace, table, config), clock);
        } catch (DriverException e) {
            throw new IOException(
                    "table can't be written, table=" + keyspace + "." + table + ", reason=" + e.getMessage(), e);
        }
    }

    @Override
    public String identity() {
        return table.identity();
    }

    @Override
    public String shape() {
        return table.rows().shape();
    }

    @Override
    public CompletionStage<Void> write(RowEntry entry) {
        return execute(statements(entry, entry.row()));
    }

    @Override
    public CompletionStage<Void> remove(RowEntry there, Optional<RowEntry> kept) {
        return execute(
                statements(there, RowRemoval.of(there, kept, clock.instant().getEpochSecond())));
    }

    /** A row of values or of tombstones. */
    private List<BoundStatement> statements(RowEntry entry, Row row) {
        long nowSeconds = clock.instant().getEpochSecond();
        Map<Times, List<Integer>> groups = new LinkedHashMap<>();
        Optional<Times> marker = row.hasLiveness()
                ? Optional.of(new Times(row.livenessTimestampMicros(), row.livenessExpirySeconds()))
                : Optional.empty();
        marker.ifPresent(times -> groups.put(times, new ArrayList<>()));
        for (int i = 0; i < row.entryCount(); i++) {
            long expirySeconds = row.isTombstone(i) ? DeletionTime.NO_DELETION_TIME : row.localDeletionTimeSeconds(i);
            groups.computeIfAbsent(new Times(row.timestampMicros(i), expirySeconds), times -> new ArrayList<>())
                    .add(i);
        }
        List<BoundStatement> statements = new ArrayList<>();
        if (row.hasDeletion()) {
            BoundStatement deletion = delete.bind().setLong(0, row.deletionTimestampMicros());
            statements.add(key(entry, row, deletion, 1));
        }
        groups.forEach((times, cells) -> {
            if (times.expirySeconds() > nowSeconds) {
                boolean isMarker = marker.isPresent() && marker.get().equals(times);
                statements.add(isMarker ? inserted(entry, row, cells) : updated(entry, row, cells));
            }
        });
        return statements;
    }

    private BoundStatement inserted(RowEntry entry, Row row, List<Integer> cells) {
        BoundStatement bound = key(entry, row, insert.bind(), 0);
        int keys = table.primaryKey().size();
        for (int cell : cells) {
            bound = bound.setBytesUnsafe(keys + row.columnIndex(cell), value(row, cell));
        }
        int times = keys + table.rows().columns(false).size();
        return bound.setLong(times, row.livenessTimestampMicros())
                .setInt(times + 1, ttlSeconds(row.livenessExpirySeconds()));
    }

    private BoundStatement updated(RowEntry entry, Row row, List<Integer> cells) {
        BoundStatement bound =
                (row.isStatic() ? updateStatic : update).orElseThrow().bind();
        int first = cells.get(0);
        bound = bound.setLong(0, row.timestampMicros(first))
                .setInt(1, row.isTombstone(first) ? Row.NO_TTL : ttlSeconds(row.localDeletionTimeSeconds(first)));
        for (int cell : cells) {
            int at = TIMES + row.columnIndex(cell);
            bound = row.isTombstone(cell) ? bound.setToNull(at) : bound.setBytesUnsafe(at, value(row, cell));
        }
        return key(
                entry, row, bound, TIMES + table.rows().columns(row.isStatic()).size());
    }

    private BoundStatement key(RowEntry entry, Row row, BoundStatement statement, int first) {
        List<byte[]> parts = new ArrayList<>(table.rows().keyParts(entry.partition()));
        if (!row.isStatic()) {
            parts.addAll(CassandraSource.components(row.clustering()));
        }
        BoundStatement bound = statement;
        for (int i = 0; i < parts.size(); i++) {
            bound = bound.setBytesUnsafe(first + i, ByteBuffer.wrap(parts.get(i)));
        }
        return bound;
    }

    private static ByteBuffer value(Row row, int cell) {
        int offset = row.valueOffset(cell);
        return ByteBuffer.wrap(
                Arrays.copyOfRange(row.valueBuffer(cell), offset, offset + Math.max(0, row.valueLengthBytes(cell))));
    }

    /** 0 for ever, which keeps the table's own TTL away. */
    private int ttlSeconds(long expirySeconds) {
        return expirySeconds == DeletionTime.NO_DELETION_TIME
                ? Row.NO_TTL
                : (int) Math.max(1, expirySeconds - clock.instant().getEpochSecond());
    }

    private CompletionStage<Void> execute(List<BoundStatement> statements) {
        if (statements.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Statement<?> one = statements.size() == 1
                ? statements.get(0)
                : BatchStatement.newInstance(DefaultBatchType.UNLOGGED, statements.toArray(BoundStatement[]::new))
                        .setIdempotent(true)
                        .setConsistencyLevel(table.config().consistency())
                        .setTimeout(table.config().timeout());
        return table.session().executeAsync(one).thenApply(done -> null);
    }

    /** Acknowledged by as many replicas as the consistency asks for: as safe as any write to the cluster. */
    @Override
    public void finish(BulkRange range) {
        // Nothing is held back.
    }

    @Override
    public void close() {
        // The session is not ours.
    }
}
