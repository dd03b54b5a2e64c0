package io.anneal.dualdao.cassandra;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Phases in three tables of a keyspace in Cassandra or ScyllaDB. All records of a migration are one partition, its version a static
 * column, so that one conditional batch compares the version, sets it, and adds the record; records are read with serial
 * consistency. Heartbeats and notes are plain writes and reads at a quorum of all replicas. Nothing expires: an instance counts
 * until it is taken off, which deletes its last heartbeat at the very time at which that was written: clocks that differ neither
 * keep it nor hide the next one.
 *
 * <p>Whether a conditional batch that got no clear answer happened is found out by a serial read; while the old version is in
 * force nobody knows, and the call throws. Any thread may call; every call waits for Cassandra, at most some seconds.
 */
public final class CassandraPhaseStore implements PhaseStore {
    private static final String RECORDS = "anneal_phase";
    private static final String HEARTBEATS = "anneal_phase_heartbeats";
    private static final String NOTES = "anneal_phase_notes";

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration SCHEMA_TIMEOUT = Duration.ofSeconds(30);

    private final CqlSession session;
    private final String keyspace;
    private final boolean closesSession;

    private CassandraPhaseStore(CqlSession session, String keyspace, boolean closesSession) {
        this.session = session;
        this.keyspace = keyspace;
        this.closesSession = closesSession;
    }

    /** In a keyspace. Looks at nothing yet. Closing it leaves the session open, which is the caller's. */
    public static CassandraPhaseStore of(CqlSession session, String keyspace) {
        return new CassandraPhaseStore(session, keyspace, false);
    }

    /** In a keyspace; the session is closed with it. */
    public static CassandraPhaseStore owning(CqlSession session, String keyspace) {
        return new CassandraPhaseStore(session, keyspace, true);
    }

    /**
     * Makes the tables in a keyspace that there is, where they are not there.
     *
     * @throws PhaseStoreException when Cassandra refuses, as without the keyspace
     */
    public static void createSchema(CqlSession session, String keyspace) {
        String prefix = "CREATE TABLE IF NOT EXISTS " + quoted(keyspace) + ".";
        List<String> tables = List.of(
                RECORDS + " (name text, version bigint, in_force bigint static, phase text, read_share_percent int,"
                        + " fallback boolean, highest text, who text, at text, why text, PRIMARY KEY (name, version))"
                        + " WITH CLUSTERING ORDER BY (version DESC)",
                HEARTBEATS + " (name text, instance text, version bigint, drained boolean, at text,"
                        + " facts frozen<map<text, text>>, PRIMARY KEY (name, instance))",
                NOTES + " (name text, id timeuuid, version bigint, who text, kind text, at text,"
                        + " facts frozen<map<text, text>>, PRIMARY KEY (name, id))");
        try {
            for (String table : tables) {
                session.execute(SimpleStatement.newInstance(prefix + table).setTimeout(SCHEMA_TIMEOUT));
            }
        } catch (DriverException e) {
            throw new PhaseStoreException(
                    "phase store can't be made, store=" + where(keyspace) + ", reason=" + DriverFailures.reason(e)
                            + "; make the keyspace with the replication that you want first",
                    e);
        }
    }

    static String quoted(String keyspace) {
        return CqlIdentifier.fromInternal(keyspace).asCql(true);
    }

    private static String where(String keyspace) {
        return "cassandra keyspace " + keyspace;
    }

    @Override
    public Optional<PhaseRecord> read(String name) {
        return asked(name, () -> inForce(name));
    }

    private Optional<PhaseRecord> inForce(String name) {
        Row row = session.execute(serial("SELECT * FROM %s." + RECORDS + " WHERE name = ? LIMIT 1", name))
                .one();
        if (row == null) {
            return Optional.empty();
        }
        if (row.isNull("version") || row.isNull("in_force") || row.getLong("version") != row.getLong("in_force")) {
            throw new PhaseStoreException("phase store holds no whole record, store=" + where(keyspace) + ", name="
                    + name + ", inForce=" + row.getObject("in_force") + ", newest=" + row.getObject("version")
                    + "; its table was changed by hand, or restored in parts: restore it whole");
        }
        PhaseRecord inForce = record(name, row);
        // Versions before this one filled the column, which later ones leave null.
        inForce.refuseFallback(name, row.getBoolean("fallback"));
        return Optional.of(inForce);
    }

    private PhaseRecord record(String name, Row row) {
        try {
            return new PhaseRecord(
                    row.getLong("version"),
                    Phase.of(row.getString("phase")),
                    row.getInt("read_share_percent"),
                    Phase.of(row.getString("highest")),
                    row.getString("who"),
                    Instant.parse(row.getString("at")),
                    row.getString("why"));
        } catch (IllegalArgumentException | DateTimeException | NullPointerException e) {
            throw new PhaseStoreException(
                    "phase store holds what is no record, store=" + where(keyspace) + ", name=" + name + ", version="
                            + row.getLong("version") + ", reason=" + e.getMessage()
                            + "; its table was changed by hand: restore it",
                    e);
        }
    }

    @Override
    public void create(String name, PhaseRecord first) {
        requireVersion(1, first);
        if (!asked(name, () -> put(name, null, first))) {
            throw new IllegalStateException(
                    "there is a migration of that name, store=" + where(keyspace) + ", name=" + name);
        }
    }

    @Override
    public boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
        requireVersion(expectedVersion + 1, next);
        return asked(name, () -> put(name, expectedVersion, next));
    }

    private static void requireVersion(long version, PhaseRecord record) {
        if (record.version() != version) {
            throw new IllegalArgumentException(
                    "record is not the next one, version=" + record.version() + ", next=" + version);
        }
    }

    private boolean put(String name, Long expectedVersion, PhaseRecord next) {
        String table = quoted(keyspace) + "." + RECORDS;
        SimpleStatement batch = statement(
                        "BEGIN BATCH"
                                + " UPDATE " + table + " SET in_force = ? WHERE name = ? IF in_force = ?;"
                                + " INSERT INTO " + table
                                + " (name, version, phase, read_share_percent, highest, who, at, why)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?);"
                                + " APPLY BATCH",
                        next.version(),
                        name,
                        expectedVersion,
                        name,
                        next.version(),
                        next.phase().label(),
                        next.readSharePercent(),
                        next.highest().label(),
                        next.who(),
                        next.at().toString(),
                        next.why())
                .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                .setSerialConsistencyLevel(DefaultConsistencyLevel.SERIAL);
        try {
            return session.execute(batch).wasApplied();
        } catch (DriverException e) {
            if (!DriverFailures.isOpen(e)) {
                throw e;
            }
            return happened(name, expectedVersion, next, e);
        }
    }

    /**
     * A serial read finishes a batch that had been agreed on. One that had not may still happen: its coordinator asks again with
     * a newer ballot, until another version is in force.
     */
    private boolean happened(String name, Long expectedVersion, PhaseRecord next, DriverException failure) {
        List<PhaseRecord> records = records(name);
        Long inForce =
                records.isEmpty() ? null : records.get(records.size() - 1).version();
        if (Objects.equals(inForce, expectedVersion)) {
            throw new PhaseStoreException(
                    "phase store did not say whether the change is made, it may still be, store=" + where(keyspace)
                            + ", name=" + name + ", version=" + next.version() + ", reason="
                            + DriverFailures.reason(failure) + "; look at the phase before you try again",
                    failure);
        }
        return records.contains(next);
    }

    @Override
    public List<PhaseRecord> history(String name) {
        return asked(name, () -> records(name));
    }

    private List<PhaseRecord> records(String name) {
        List<PhaseRecord> records = new ArrayList<>();
        for (Row row :
                session.execute(serial("SELECT * FROM %s." + RECORDS + " WHERE name = ? ORDER BY version ASC", name))) {
            if (!row.isNull("version")) {
                records.add(record(name, row));
            }
        }
        return records;
    }

    @Override
    public void heartbeat(String name, Heartbeat heartbeat) {
        asked(
                name,
                () -> session.execute(quorum(
                        "INSERT INTO %s." + HEARTBEATS
                                + " (name, instance, version, drained, at, facts) VALUES (?, ?, ?, ?, ?, ?)",
                        name,
                        heartbeat.instance(),
                        heartbeat.version(),
                        heartbeat.drained(),
                        heartbeat.at().toString(),
                        heartbeat.facts())));
    }

    @Override
    public List<Heartbeat> heartbeats(String name) {
        return asked(
                name,
                () -> all(
                        quorum("SELECT * FROM %s." + HEARTBEATS + " WHERE name = ?", name),
                        row -> new Heartbeat(
                                row.getString("instance"),
                                row.getLong("version"),
                                row.getBoolean("drained"),
                                Instant.parse(row.getString("at")),
                                facts(row))));
    }

    private static Map<String, String> facts(Row row) {
        Map<String, String> facts = row.getMap("facts", String.class, String.class);
        return facts == null ? Map.of() : facts;
    }

    @Override
    public void forget(String name, String instance) {
        asked(name, () -> {
            Row last = session.execute(quorum(
                            "SELECT WRITETIME(at) AS written FROM %s." + HEARTBEATS
                                    + " WHERE name = ? AND instance = ?",
                            name,
                            instance))
                    .one();
            return last == null
                    ? null
                    : session.execute(quorum(
                            "DELETE FROM %s." + HEARTBEATS + " USING TIMESTAMP ? WHERE name = ? AND instance = ?",
                            last.getLong("written"),
                            name,
                            instance));
        });
    }

    @Override
    public void addNote(String name, PhaseNote note) {
        asked(
                name,
                () -> session.execute(quorum(
                        "INSERT INTO %s." + NOTES
                                + " (name, id, version, who, kind, at, facts) VALUES (?, ?, ?, ?, ?, ?, ?)",
                        name,
                        Uuids.timeBased(),
                        note.version(),
                        note.who(),
                        note.kind().name(),
                        note.at().toString(),
                        note.facts())));
    }

    @Override
    public List<PhaseNote> notes(String name) {
        return asked(
                name,
                () -> all(
                        quorum("SELECT * FROM %s." + NOTES + " WHERE name = ?", name),
                        row -> new PhaseNote(
                                Instant.parse(row.getString("at")),
                                row.getLong("version"),
                                row.getString("who"),
                                PhaseNote.Kind.valueOf(row.getString("kind")),
                                facts(row))));
    }

    private <T> List<T> all(SimpleStatement statement, Function<Row, T> map) {
        ResultSet rows = session.execute(statement);
        List<T> all = new ArrayList<>();
        rows.forEach(row -> all.add(map.apply(row)));
        return all;
    }

    private SimpleStatement serial(String text, Object... values) {
        return statement(text, values).setConsistencyLevel(DefaultConsistencyLevel.SERIAL);
    }

    private SimpleStatement quorum(String text, Object... values) {
        return statement(text, values)
                .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                .setIdempotent(true);
    }

    private SimpleStatement statement(String text, Object... values) {
        return SimpleStatement.newInstance(text.replace("%s", quoted(keyspace)), values)
                .setTimeout(TIMEOUT);
    }

    /** Asks Cassandra. */
    private interface Question<T> {
        T ask();
    }

    private <T> T asked(String name, Question<T> question) {
        try {
            return question.ask();
        } catch (DriverException | IllegalArgumentException | DateTimeException | IllegalStateException e) {
            throw new PhaseStoreException(
                    "phase store can't be asked, store=" + where(keyspace) + ", name=" + name + ", reason="
                            + DriverFailures.reason(e)
                            + "; check that Cassandra runs and that the tables were made by init",
                    e);
        }
    }

    @Override
    public boolean persistent() {
        return true;
    }

    @Override
    public void close() {
        if (closesSession) {
            session.close();
        }
    }
}
