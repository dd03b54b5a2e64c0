package io.anneal.conformance;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.io.Closeable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that write, delete and read rows of a few partitions at QUORUM, each write at a time of its own, and the log of all they did.
 * A value says when it was written. What a read answers of a column must be what was written or deleted there last of what was
 * acknowledged before it began, or something newer: of that nobody knows whether it came before or after, or whether it was done at all.
 * Beside them the test has partitions of its own, of which no client hides by what it writes later that they came back.
 */
final class QuorumLoad implements Closeable {
    static final int PARTITIONS = 60;
    static final int ROWS_EACH = 8;
    /** Behind those of the clients. */
    private static final int PARTITIONS_OF_TEST = 10;

    private static final int PARTITIONS_ALL = PARTITIONS + PARTITIONS_OF_TEST;

    /** More than the gc_grace of the table. */
    private static final Duration LONG_AGO = Duration.ofDays(11);

    private static final List<String> COLUMNS = List.of("v", "w");
    private static final long NEVER = Long.MIN_VALUE;

    private final CqlSession session;
    private final Map<Cell, Log> logs = new HashMap<>();
    private final AtomicLong lastMicros = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final ExecutorService clients;
    private final PreparedStatement insert;
    private final PreparedStatement update;
    private final PreparedStatement deleteColumn;
    private final PreparedStatement deleteRow;
    private final PreparedStatement deleteRange;
    private final PreparedStatement deletePartition;
    private final PreparedStatement deletePartitionLongAgo;
    private final PreparedStatement read;
    private volatile boolean stopped;

    /** A column of a row. */
    record Cell(int partition, int row, String column) {}

    /** All that was asked to be written to a column of a row, and the time of the newest that was acknowledged. */
    private record Log(Map<Long, Boolean> deletes, AtomicLong acknowledged) {
        boolean allows(Object found, long since) {
            if (found == null) {
                return since == NEVER
                        || deletes.entrySet().stream().anyMatch(write -> write.getValue() && write.getKey() >= since);
            }
            long micros = Long.parseLong(found.toString());
            return micros >= since && Boolean.FALSE.equals(deletes.get(micros));
        }
    }

    private QuorumLoad(CqlSession session, String table, int clientCount) {
        this.session = session;
        for (int partition = 0; partition < PARTITIONS_ALL; partition++) {
            for (Cell cell : cells(partition, 0, ROWS_EACH)) {
                logs.put(cell, new Log(new ConcurrentHashMap<>(), new AtomicLong(NEVER)));
            }
        }
        insert = prepare("INSERT INTO " + table + " (p, c, v) VALUES (:p, :c, :value) USING TIMESTAMP :at");
        update = prepare("UPDATE " + table + " USING TIMESTAMP :at SET w = :value WHERE p = :p AND c = :c");
        deleteColumn = prepare("DELETE w FROM " + table + " USING TIMESTAMP :at WHERE p = :p AND c = :c");
        deleteRow = prepare("DELETE FROM " + table + " USING TIMESTAMP :at WHERE p = :p AND c = :c");
        deleteRange = prepare("DELETE FROM " + table + " USING TIMESTAMP :at WHERE p = :p AND c >= :c");
        String partition = "DELETE FROM " + table + " USING TIMESTAMP :at WHERE p = :p";
        deletePartition = prepare(partition);
        deletePartitionLongAgo =
                session.prepare(SimpleStatement.newInstance(partition).setConsistencyLevel(ConsistencyLevel.ALL));
        read = prepare("SELECT v, w FROM " + table + " WHERE p = :p AND c = :c");
        clients = Executors.newFixedThreadPool(clientCount);
    }

    /** Makes the table. */
    static void createTable(CqlSession session, String table, String options) {
        session.execute(
                "CREATE TABLE " + table + " (p int, c int, v text, w text, PRIMARY KEY (p, c)) WITH " + options);
    }

    static QuorumLoad start(CqlSession session, String table, int clientCount, long seed) {
        QuorumLoad load = new QuorumLoad(session, table, clientCount);
        for (int i = 0; i < clientCount; i++) {
            Random random = new Random(seed + i);
            load.clients.execute(() -> load.run(random));
        }
        return load;
    }

    private PreparedStatement prepare(String text) {
        return session.prepare(SimpleStatement.newInstance(text).setConsistencyLevel(ConsistencyLevel.QUORUM));
    }

    private static List<Cell> cells(int partition, int firstRow, int rowEnd) {
        List<Cell> cells = new ArrayList<>();
        for (int row = firstRow; row < rowEnd; row++) {
            for (String column : COLUMNS) {
                cells.add(new Cell(partition, row, column));
            }
        }
        return cells;
    }

    private void run(Random random) {
        while (!stopped) {
            try {
                step(random);
            } catch (RuntimeException e) {
                wrong.add("a client failed: " + e);
                return;
            }
        }
    }

    private void step(Random random) {
        int p = random.nextInt(PARTITIONS);
        int c = random.nextInt(ROWS_EACH);
        int draw = random.nextInt(100);
        if (draw < 40) {
            write(insert, p, c, List.of(new Cell(p, c, "v")), false);
        } else if (draw < 55) {
            write(update, p, c, List.of(new Cell(p, c, "w")), false);
        } else if (draw < 60) {
            write(deleteColumn, p, c, List.of(new Cell(p, c, "w")), true);
        } else if (draw < 72) {
            write(deleteRow, p, c, cells(p, c, c + 1), true);
        } else if (draw < 75) {
            write(deleteRange, p, c, cells(p, c, ROWS_EACH), true);
        } else if (draw < 77) {
            write(deletePartition, p, c, cells(p, 0, ROWS_EACH), true);
        } else {
            read(p, c);
        }
    }

    /** Whether it was acknowledged. */
    private boolean write(PreparedStatement statement, int p, int c, List<Cell> cells, boolean deletes) {
        Instant now = Instant.now();
        long micros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        long at = lastMicros.updateAndGet(last -> Math.max(last + 1, micros));
        cells.forEach(cell -> logs.get(cell).deletes().put(at, deletes));
        var bound = statement.boundStatementBuilder().setInt("p", p).setLong("at", at);
        if (statement.getVariableDefinitions().contains("c")) {
            bound = bound.setInt("c", c);
        }
        if (!deletes) {
            bound = bound.setString("value", Long.toString(at));
        }
        if (statement == deletePartitionLongAgo) {
            // What is prepared does not hand it on.
            bound = bound.setNowInSeconds(Math.toIntExact(now.minus(LONG_AGO).getEpochSecond()));
        }
        try {
            session.execute(bound.build());
        } catch (DriverException e) {
            unknown.incrementAndGet();
            return false;
        }
        cells.forEach(cell -> logs.get(cell).acknowledged().accumulateAndGet(at, Math::max));
        acknowledged.incrementAndGet();
        return true;
    }

    /** Writes the rows of the test's own partitions. */
    void writeOwn() {
        for (int p = PARTITIONS; p < PARTITIONS_ALL; p++) {
            for (Cell cell : cells(p, 0, ROWS_EACH)) {
                PreparedStatement statement = cell.column().equals("v") ? insert : update;
                LiveCluster.await(
                        cell + " is written, " + this,
                        () -> write(statement, cell.partition(), cell.row(), List.of(cell), false));
            }
        }
    }

    /** Deletes half of them at all replicas, which may purge that as soon as they compact: so a deletion looks that comes late. */
    void deleteOwnLongAgo() {
        for (int i = PARTITIONS; i < PARTITIONS_ALL; i += 2) {
            int p = i;
            LiveCluster.await(
                    "partition " + p + " is deleted, " + this,
                    () -> write(deletePartitionLongAgo, p, 0, cells(p, 0, ROWS_EACH), true));
        }
    }

    private void read(int p, int c) {
        Map<Cell, Long> since = new HashMap<>();
        List<Cell> cells = cells(p, c, c + 1);
        cells.forEach(cell -> since.put(cell, logs.get(cell).acknowledged().get()));
        Row row;
        try {
            ResultSet found = session.execute(
                    read.boundStatementBuilder().setInt("p", p).setInt("c", c).build());
            row = found.one();
        } catch (DriverException e) {
            return;
        }
        for (Cell cell : cells) {
            String value = row == null ? null : row.getString(cell.column());
            if (!logs.get(cell).allows(value, since.get(cell))) {
                wrong.add("read of " + cell + " answered " + value + ", acknowledged before was " + since.get(cell));
            }
        }
        reads.incrementAndGet();
    }

    /** How many writes were acknowledged. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** Waits until the clients have done so much more. */
    void awaitWrites(int count) {
        long end = acknowledged.get() + count;
        LiveCluster.await(count + " more writes, " + this, () -> acknowledged.get() >= end || !wrong.isEmpty());
    }

    /** What reads have answered that they must not. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }

    /** Reads all at QUORUM. */
    List<String> readAll() {
        for (int p = 0; p < PARTITIONS_ALL; p++) {
            for (int c = 0; c < ROWS_EACH; c++) {
                read(p, c);
            }
        }
        return wrong();
    }

    /**
     * What is wrong with rows, after the last write.
     *
     * @param values those that are not null
     */
    List<String> wrongIn(Map<Cell, Object> values) {
        return wrongIn(values, 0);
    }

    /** The same of the test's own partitions, whatever the clients do. */
    List<String> wrongInOwn(Map<Cell, Object> values) {
        return wrongIn(values, PARTITIONS);
    }

    private List<String> wrongIn(Map<Cell, Object> values, int firstPartition) {
        List<String> found = new ArrayList<>();
        logs.forEach((cell, log) -> {
            if (cell.partition() >= firstPartition
                    && !log.allows(values.get(cell), log.acknowledged().get())) {
                found.add(cell + " is " + values.get(cell) + ", the last acknowledged was "
                        + log.acknowledged().get() + " of " + log.deletes());
            }
        });
        return found;
    }

    /** Lets the clients finish what they do. */
    void stop() {
        stopped = true;
        clients.shutdown();
        try {
            if (!clients.awaitTermination(2, TimeUnit.MINUTES)) {
                throw new AssertionError("clients do not end, " + this);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "acknowledged=" + acknowledged + ", unknown=" + unknown + ", reads=" + reads + ", wrong=" + wrong;
    }

    @Override
    public void close() {
        stopped = true;
        clients.shutdownNow();
    }
}
