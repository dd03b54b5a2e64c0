package io.anneal.harness.store;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import io.anneal.dualdao.cassandra.DriverFailures;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Partitions in Cassandra or ScyllaDB. A write is one mutation of one partition, whole or not at all. Every statement has its time
 * with it, so that the driver may send it twice. Failures are the driver's own exceptions; what they say of a write
 * {@link StoreOutcomes} knows.
 */
public final class CassandraPartitionDao implements PartitionDao, TimedPartitions, ListedPartitions {
    static final String TABLE = "items";
    /** In one batch of the protocol. */
    private static final int STATEMENTS_MAX = 0xFFFF;

    private static final Duration SCHEMA_TIMEOUT = Duration.ofSeconds(30);

    private final CqlSession session;
    private final String keyspace;
    private final WriteClock clock;
    private final String identity;
    private final boolean closesSession;
    private final PreparedStatement read;
    private final PreparedStatement readTimed;
    private final PreparedStatement write;
    private final PreparedStatement writeExpiring;
    private final PreparedStatement delete;
    private final PreparedStatement deleteItem;

    private CassandraPartitionDao(CqlSession session, String keyspace, InstantSource clock, boolean closesSession) {
        this.session = session;
        this.keyspace = keyspace;
        this.clock = new WriteClock(clock);
        this.closesSession = closesSession;
        identity = "cassandra:" + keyspace + "." + TABLE + ":"
                + tableId(session, keyspace).map(UUID::toString).orElse("");
        String table = name(keyspace) + "." + TABLE;
        read = prepared("SELECT b, c, d FROM " + table + " WHERE a = ?");
        readTimed = prepared("SELECT b, c, d, WRITETIME(d) AS written, TTL(d) AS ttl FROM " + table + " WHERE a = ?");
        // A row is its value: it has no marker of its own, whose time nobody could read and copy.
        write = prepared("UPDATE " + table + " USING TIMESTAMP ? SET d = ? WHERE a = ? AND b = ? AND c = ?");
        writeExpiring =
                prepared("UPDATE " + table + " USING TIMESTAMP ? AND TTL ? SET d = ? WHERE a = ? AND b = ? AND c = ?");
        delete = prepared("DELETE FROM " + table + " USING TIMESTAMP ? WHERE a = ?");
        deleteItem = prepared("DELETE FROM " + table + " USING TIMESTAMP ? WHERE a = ? AND b = ? AND c = ?");
    }

    /** Empty without the table, which the next statement tells. */
    private static Optional<UUID> tableId(CqlSession session, String keyspace) {
        Row row = session.execute(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        keyspace,
                        TABLE)
                .one();
        return Optional.ofNullable(row).map(found -> found.getUuid("id"));
    }

    private PreparedStatement prepared(String text) {
        return session.prepare(
                SimpleStatement.builder(text).setIdempotence(true).build());
    }

    /** Over a keyspace's table {@code items}. Closing it leaves the session open, which is the caller's. */
    public static CassandraPartitionDao open(CqlSession session, String keyspace, InstantSource clock)
            throws StoreUnavailableException {
        return open(session, keyspace, clock, false);
    }

    /** The same, closing the session with itself. */
    static CassandraPartitionDao owning(CqlSession session, String keyspace, InstantSource clock)
            throws StoreUnavailableException {
        return open(session, keyspace, clock, true);
    }

    private static CassandraPartitionDao open(
            CqlSession session, String keyspace, InstantSource clock, boolean closesSession)
            throws StoreUnavailableException {
        try {
            return new CassandraPartitionDao(session, keyspace, clock, closesSession);
        } catch (DriverException e) {
            throw new StoreUnavailableException(
                    "Cassandra's table can't be used, table=" + keyspace + "." + TABLE + ", reason="
                            + DriverFailures.reason(e) + "; if there is none, run: " + createTable(keyspace),
                    e);
        }
    }

    /**
     * Makes the table in a keyspace that there is, if there is none.
     *
     * @throws StoreUnavailableException when Cassandra refuses, as without the keyspace
     */
    public static void createSchema(CqlSession session, String keyspace) throws StoreUnavailableException {
        try {
            session.execute(SimpleStatement.newInstance(createTable(keyspace)).setTimeout(SCHEMA_TIMEOUT));
        } catch (DriverException e) {
            throw new StoreUnavailableException(
                    "Cassandra's table can't be made, table=" + keyspace + "." + TABLE + ", reason="
                            + DriverFailures.reason(e)
                            + "; make the keyspace with the replication that you want first",
                    e);
        }
    }

    private static String createTable(String keyspace) {
        return "CREATE TABLE IF NOT EXISTS " + name(keyspace) + "." + TABLE
                + " (a bigint, b text, c text, d text, PRIMARY KEY (a, b, c))";
    }

    static String name(String keyspace) {
        return CqlIdentifier.fromInternal(keyspace).asCql(true);
    }

    public CqlSession session() {
        return session;
    }

    public String keyspace() {
        return keyspace;
    }

    @Override
    public List<Long> keys() {
        List<Long> keys = new ArrayList<>();
        session.execute("SELECT DISTINCT a FROM " + name(keyspace) + "." + TABLE)
                .forEach(row -> keys.add(row.getLong("a")));
        return keys;
    }

    @Override
    public CompletionStage<Partition> read(long a) {
        return rows(read.bind(a), row -> new Item(row.getString("b"), row.getString("c"), row.getString("d")))
                .thenApply(items -> items.isEmpty() ? null : new Partition(a, items));
    }

    @Override
    public CompletionStage<List<TimedItem>> readTimed(long a) {
        long nowSeconds = clock.nowSeconds();
        return rows(
                readTimed.bind(a),
                row -> new TimedItem(
                        row.getString("b"),
                        row.getString("c"),
                        row.getString("d"),
                        row.getLong("written"),
                        row.isNull("ttl") ? TimedItem.NEVER : nowSeconds + row.getInt("ttl")));
    }

    private <T> CompletionStage<List<T>> rows(Statement<?> statement, Function<Row, T> map) {
        return session.executeAsync(statement).thenCompose(page -> rest(page, map, new ArrayList<>()));
    }

    private static <T> CompletionStage<List<T>> rest(AsyncResultSet page, Function<Row, T> map, List<T> items) {
        for (Row row : page.currentPage()) {
            if (!row.isNull("d")) {
                items.add(map.apply(row));
            }
        }
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> rest(next, map, items))
                : CompletableFuture.completedFuture(items);
    }

    @Override
    public CompletionStage<Void> write(long a, List<Item> items) {
        return execute(sets(a, items, clock.micros()));
    }

    @Override
    public CompletionStage<Void> replace(long a, List<Item> items) {
        long micros = clock.micros();
        List<BoundStatement> statements = new ArrayList<>();
        statements.add(delete.bind(micros - 1, a));
        statements.addAll(sets(a, items, micros));
        return execute(statements);
    }

    private List<BoundStatement> sets(long a, List<Item> items, long micros) {
        return items.stream()
                .map(item -> write.bind(micros, item.d(), a, item.b(), item.c()))
                .toList();
    }

    @Override
    public CompletionStage<Void> delete(long a) {
        return execute(List.of(delete.bind(clock.micros(), a)));
    }

    @Override
    public CompletionStage<Void> deleteItem(long a, String b, String c) {
        return execute(List.of(deleteItem.bind(clock.micros(), a, b, c)));
    }

    @Override
    public CompletionStage<Void> writeTimed(long a, List<TimedItem> items) {
        long nowSeconds = clock.nowSeconds();
        List<BoundStatement> statements = new ArrayList<>();
        for (TimedItem item : items) {
            if (item.expiresAtSeconds() == TimedItem.NEVER) {
                statements.add(write.bind(item.writeTimeMicros(), item.d(), a, item.b(), item.c()));
            } else if (item.expiresAtSeconds() > nowSeconds) {
                int ttlSeconds = Math.toIntExact(item.expiresAtSeconds() - nowSeconds);
                statements.add(writeExpiring.bind(item.writeTimeMicros(), ttlSeconds, item.d(), a, item.b(), item.c()));
            }
        }
        return execute(statements);
    }

    @Override
    public CompletionStage<Void> deleteTimed(long a, List<TimedItem> seen) {
        return execute(seen.stream()
                .map(item -> deleteItem.bind(item.writeTimeMicros(), a, item.b(), item.c()))
                .toList());
    }

    private CompletionStage<Void> execute(List<BoundStatement> statements) {
        if (statements.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        if (statements.size() > STATEMENTS_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("more items than a batch of Cassandra holds, items="
                            + statements.size() + ", most=" + STATEMENTS_MAX + "; write them in parts"));
        }
        Statement<?> one = statements.size() == 1
                ? statements.get(0)
                : BatchStatement.newInstance(DefaultBatchType.UNLOGGED, List.<BatchableStatement<?>>copyOf(statements))
                        .setIdempotent(true);
        return session.executeAsync(one).thenApply(done -> null);
    }

    /** By the table's id, which is the same by whatever address one comes, and another in every cluster. */
    @Override
    public String identity() {
        return identity;
    }

    @Override
    public void close() {
        if (closesSession) {
            session.close();
        }
    }
}
