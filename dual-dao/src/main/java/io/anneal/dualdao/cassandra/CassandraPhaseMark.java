package io.anneal.dualdao.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.time.Duration;
import java.util.Optional;

/**
 * The newest phase record seen, in table {@code anneal_phase_mark} of a target in Cassandra or ScyllaDB. To start a migration
 * over, delete the partition of its name. Any thread.
 */
public final class CassandraPhaseMark implements PhaseMark {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration SCHEMA_TIMEOUT = Duration.ofSeconds(30);

    private final CqlSession session;
    private final String keyspace;
    private final String table;

    /** In a keyspace, whose table {@link #createSchema} made. */
    public CassandraPhaseMark(CqlSession session, String keyspace) {
        this.session = session;
        this.keyspace = keyspace;
        table = CassandraPhaseStore.quoted(keyspace) + ".anneal_phase_mark";
    }

    /**
     * Makes the table in a keyspace that there is, if it is not there.
     *
     * @throws PhaseStoreException when Cassandra refuses
     */
    public void createSchema() {
        asked(() -> session.execute(SimpleStatement.newInstance("CREATE TABLE IF NOT EXISTS " + table
                        + " (name text, version bigint, phase text, highest text, PRIMARY KEY (name, version))"
                        + " WITH CLUSTERING ORDER BY (version DESC)")
                .setTimeout(SCHEMA_TIMEOUT)));
    }

    @Override
    public Optional<Seen> read(String name) {
        Row row = asked(() -> session.execute(
                        statement("SELECT version, phase, highest FROM " + table + " WHERE name = ? LIMIT 1", name))
                .one());
        return Optional.ofNullable(row)
                .map(found -> Seen.read(
                        place(), name, found.getLong("version"), found.getString("phase"), found.getString("highest")));
    }

    @Override
    public void remember(String name, Seen seen) {
        asked(() -> session.execute(statement(
                "INSERT INTO " + table + " (name, version, phase, highest) VALUES (?, ?, ?, ?)",
                name,
                seen.version(),
                seen.phase().label(),
                seen.highest().label())));
        seen.requireTaken(place(), name, read(name));
    }

    private static SimpleStatement statement(String text, Object... values) {
        return SimpleStatement.newInstance(text, values)
                .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                .setIdempotent(true)
                .setTimeout(TIMEOUT);
    }

    private String place() {
        return "cassandra keyspace " + keyspace;
    }

    /** Asks Cassandra. */
    private interface Question<T> {
        T ask();
    }

    private <T> T asked(Question<T> question) {
        try {
            return question.ask();
        } catch (DriverException | IllegalStateException e) {
            throw new PhaseStoreException(
                    "mark of the phase in the target can't be used, place=" + place() + ", reason="
                            + DriverFailures.reason(e)
                            + "; check that Cassandra runs and that the table was made by init",
                    e);
        }
    }
}
