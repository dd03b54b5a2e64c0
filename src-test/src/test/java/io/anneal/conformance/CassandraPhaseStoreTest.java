package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.DefaultWriteType;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.dualdao.cassandra.CassandraPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.harness.store.CassandraSessions;
import io.anneal.harness.store.PhaseStoreUrl;
import io.anneal.harness.store.StoreUnavailableException;
import io.anneal.testkit.PhaseStoreContract;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Phases in a real Cassandra, two clients at once. */
@WithCassandra
final class CassandraPhaseStoreTest extends PhaseStoreContract {
    private static final String KEYSPACE = "phases_of_migrate";
    private static final Instant AT = Instant.parse("2026-01-01T10:15:30.123456Z");

    private static CassandraPeer peer;
    private static CqlSession session;
    private static CqlSession other;
    private int opened;

    @BeforeAll
    static void connect(CassandraPeer shared) throws StoreUnavailableException {
        peer = shared;
        makeKeyspace(KEYSPACE);
        session = CassandraSessions.open(url(KEYSPACE), Optional.empty());
        other = CassandraSessions.open(url(KEYSPACE), Optional.empty());
        CassandraPhaseStore.createSchema(session, KEYSPACE);
    }

    private static void makeKeyspace(String keyspace) {
        peer.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    }

    @AfterAll
    static void disconnect() {
        session.close();
        other.close();
        peer.execute("DROP KEYSPACE " + KEYSPACE);
    }

    private static String url(String keyspace) {
        return "cassandra://" + peer.config().address() + ":" + peer.cqlPort() + "/" + keyspace;
    }

    /** Runs before the contract opens: its method of that kind is the superclass's, and its stores look at nothing yet. */
    @BeforeEach
    void empty() {
        for (String table : new String[] {"anneal_phase", "anneal_phase_heartbeats", "anneal_phase_notes"}) {
            peer.truncate(KEYSPACE, table);
        }
    }

    @Override
    protected PhaseStore open() {
        return CassandraPhaseStore.of(opened++ % 2 == 0 ? session : other, KEYSPACE);
    }

    @Test
    void shouldKeepTimesWhole() {
        PhaseRecord first = PhaseRecord.first("ann", AT, "why");
        open().create("m", first);
        assertThat(open().read("m")).contains(first);
        assertThat(open().persistent()).isTrue();
    }

    @Test
    void shouldRefuseAPhaseFourOfAnOlderVersionInWhichReadsFallBack() {
        String insert = "INSERT INTO " + KEYSPACE + ".anneal_phase"
                + " (name, in_force, version, phase, read_share_percent, fallback, highest, who, at, why)"
                + " VALUES ('m', 1, 1, '4', 100, %s, '4', 'ann', '2026-01-01T00:00:00Z', '')";
        session.execute(String.format(insert, true));
        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> open().read("m"))
                .withMessageContaining("phase 4 with fallback is of an older version");
        session.execute(String.format(insert, false));
        assertThat(open().read("m").orElseThrow().phase()).isEqualTo(Phase.WRITE_TARGET);
    }

    /** A conditional write that was never answered happened, or may still happen until another version is in force. */
    @Test
    void shouldFindOutWhetherAChangeWithoutAnAnswerHappened() {
        PhaseRecord first = PhaseRecord.first("ann", AT, "why");
        PhaseRecord second = first.changed(Phase.WRITE_BOTH, 100, "ann", AT, "on");
        PhaseStore happening = CassandraPhaseStore.of(unanswered(true), KEYSPACE);
        PhaseStore lost = CassandraPhaseStore.of(unanswered(false), KEYSPACE);
        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> lost.create("m", first))
                .withMessageContaining("may still be");
        assertThat(open().read("m")).isEmpty();
        happening.create("m", first);
        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> lost.compareAndSet("m", 1, second))
                .withMessageContaining("name=m, version=2")
                .withMessageContaining("may still be")
                .withMessageContaining("look at the phase");
        assertThat(open().read("m")).contains(first);
        assertThat(happening.compareAndSet("m", 1, second)).isTrue();
        assertThat(open().history("m")).containsExactly(first, second);
        // Somebody else's change of the same version is not ours.
        PhaseRecord another = first.changed(Phase.WRITE_BOTH, 50, "bob", AT, "on");
        assertThat(happening.compareAndSet("m", 1, another)).isFalse();
        assertThat(lost.compareAndSet("m", 1, another)).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> lost.create("m", PhaseRecord.first("bob", AT, "why")));
    }

    /** The session, but that conditional batches end in a timeout. */
    private static CqlSession unanswered(boolean happens) {
        return (CqlSession) Proxy.newProxyInstance(
                CassandraPhaseStoreTest.class.getClassLoader(),
                new Class<?>[] {CqlSession.class},
                (proxy, method, arguments) -> {
                    boolean batch = arguments != null
                            && arguments[0] instanceof SimpleStatement statement
                            && statement.getQuery().startsWith("BEGIN BATCH");
                    Object result = batch && !happens ? null : method.invoke(session, arguments);
                    if (batch) {
                        throw new WriteTimeoutException(
                                null, DefaultConsistencyLevel.SERIAL, 0, 1, DefaultWriteType.CAS);
                    }
                    return result;
                });
    }

    @Test
    void shouldSayWhatToDoAboutMissingTables() {
        makeKeyspace("phases_without_tables");
        try {
            PhaseStore store = CassandraPhaseStore.of(session, "phases_without_tables");
            assertThatExceptionOfType(PhaseStoreException.class)
                    .isThrownBy(() -> store.read("m"))
                    .withMessageContaining("phases_without_tables")
                    .withMessageContaining("name=m")
                    .withMessageContaining("init");
            assertThatExceptionOfType(PhaseStoreException.class)
                    .isThrownBy(() -> CassandraPhaseStore.createSchema(session, "no_such_keyspace"))
                    .withMessageContaining("make the keyspace");
        } finally {
            peer.execute("DROP KEYSPACE phases_without_tables");
        }
    }

    @Test
    void shouldNotTakeARecordForWholeThatLostItsVersion() {
        open().create("m", PhaseRecord.first("ann", AT, "why"));
        peer.execute("DELETE FROM " + KEYSPACE + ".anneal_phase WHERE name = 'm' AND version = 1");
        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> open().read("m"))
                .withMessageContaining("no whole record");
        peer.execute("UPDATE " + KEYSPACE + ".anneal_phase SET phase = 'six' WHERE name = 'm' AND version = 1");
        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> open().read("m"))
                .withMessageContaining("no record")
                .withMessageContaining("six");
    }

    @Test
    void shouldThrowOnceItsSessionIsClosed() throws StoreUnavailableException {
        PhaseStore store = PhaseStoreUrl.parse(url(KEYSPACE)).open(Optional.empty(), true);
        assertThat(store.read("m")).isEmpty();
        store.close();
        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> store.read("m"))
                .withMessageContaining("closed");
    }
}
