package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.dualdao.phase.JdbcPhaseStore;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.faults.Commands;
import io.anneal.testkit.PhaseStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.UUID;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Phases in H2. */
final class JdbcPhaseStoreTest extends PhaseStoreContract {
    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcConnectionPool pool = JdbcConnectionPool.create(url, "", "");

    @AfterEach
    void stop() throws SQLException {
        execute("shutdown");
        pool.dispose();
    }

    private void execute(String text) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    @Override
    protected PhaseStore open() {
        JdbcPhaseStore.createSchema(pool);
        return new JdbcPhaseStore(pool);
    }

    @Test
    void shouldSayThatItCanNotBeAskedWithoutItsTables() throws SQLException {
        execute("drop table anneal_phase");

        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> new JdbcPhaseStore(pool).read("users"))
                .withMessageContaining("phase store can't be asked, store=jdbc, name=users, reason=");
    }

    @Test
    void shouldRefuseARecordThatWasRestoredInParts() throws SQLException {
        PhaseStore store = new JdbcPhaseStore(pool);
        store.create("users", PhaseRecord.first("ann", Instant.EPOCH, ""));
        execute("update anneal_phase set version = 2");

        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> store.read("users"))
                .withMessageContaining("inForce=2, records=1");
    }

    @Test
    void shouldLeaveNoConnectionOpen() {
        PhaseStore store = new JdbcPhaseStore(pool);
        store.create("users", PhaseRecord.first("ann", Instant.EPOCH, ""));
        store.read("users");

        assertThat(pool.getActiveConnections()).isZero();
    }

    @Test
    void shouldBeOpenedByTheCommand() throws SQLException {
        execute("drop table anneal_phase");
        execute("drop table anneal_phase_lines");

        Commands.Result begun = Commands.run("migrate", "init", "--name", "users", "--phase-store", url);
        Commands.Result status = Commands.run("migrate", "status", "--name", "users", "--phase-store", url);

        assertThat(begun.exitCode()).as(begun.err()).isZero();
        assertThat(status.exitCode()).as(status.err()).isZero();
        assertThat(new JdbcPhaseStore(pool).read("users")).isPresent();
    }
}
