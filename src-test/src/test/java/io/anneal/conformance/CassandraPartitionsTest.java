package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseMark.Seen;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.faults.Commands;
import io.anneal.harness.store.CassandraPartitionDao;
import io.anneal.harness.store.CassandraSessions;
import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.OpenStore;
import io.anneal.harness.store.PartitionDao;
import io.anneal.harness.store.StoreSettings;
import io.anneal.harness.store.StoreUnavailableException;
import io.anneal.harness.store.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions in a real Cassandra, through the Java driver beside the Netty that we bring. */
@WithCassandra
final class CassandraPartitionsTest extends PartitionDaoContract {
    private static final String KEYSPACE = "Partitions_of_migrate";
    private static final StoreSettings SETTINGS = StoreSettings.of("origin", Delayer.NONE);
    private static CassandraPeer peer;
    private static OpenStore store;

    @BeforeAll
    static void open(CassandraPeer shared) throws IOException {
        peer = shared;
        peer.execute("CREATE KEYSPACE \"" + KEYSPACE
                + "\" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        store = StoreUrl.parse(url(KEYSPACE)).open(SETTINGS);
    }

    @AfterAll
    static void close() throws IOException {
        store.close();
        peer.execute("DROP KEYSPACE \"" + KEYSPACE + "\"");
    }

    private static String url(String keyspace) {
        return "cassandra://" + peer.config().address() + ":" + peer.cqlPort() + "/" + keyspace;
    }

    @Override
    PartitionDao dao() {
        return store.dao();
    }

    @Override
    PartitionDao again() throws Exception {
        try (OpenStore again = StoreUrl.parse(url(KEYSPACE)).open(SETTINGS)) {
            return again.dao();
        }
    }

    /** As many as the spike that chose the driver: nothing is lost, nothing is late. */
    @Test
    void shouldTakeThousandsOfWritesAtOnce() {
        List<CompletionStage<Void>> written = new ArrayList<>();
        String value = "d".repeat(500);
        for (long a = 1_000; a < 6_000; a++) {
            written.add(dao().write(a, List.of(new Item("b", "c", value))));
            if (written.size() == 200) {
                written.forEach(stage -> stage.toCompletableFuture().join());
                written.clear();
            }
        }
        List<CompletableFuture<?>> read = new ArrayList<>();
        for (long a = 1_000; a < 6_000; a += 100) {
            read.add(dao().read(a)
                    .thenAccept(found -> assertThat(found).isNotNull())
                    .toCompletableFuture());
        }
        read.forEach(CompletableFuture::join);
        CqlSession session = ((CassandraPartitionDao) dao()).session();
        assertThat(session.getMetadata().getTokenMap()).isPresent();
    }

    @Test
    void shouldRememberTheNewestPhase() {
        Seen older = new Seen(2, Phase.WRITE_BOTH, Phase.WRITE_BOTH);
        Seen newer = new Seen(3, Phase.ORIGIN_ONLY, Phase.WRITE_BOTH);
        PhaseMark mark = store.mark().orElseThrow();
        assertThat(mark.read("m")).isEmpty();
        mark.remember("m", newer);
        mark.remember("m", older);
        assertThat(mark.read("m")).contains(newer);
        assertThat(mark.read("other")).isEmpty();
    }

    @Test
    void shouldRememberAgainWhatSomebodyDeletedToStartOver() {
        Seen first = new Seen(1, Phase.ORIGIN_ONLY, Phase.ORIGIN_ONLY);
        PhaseMark mark = store.mark().orElseThrow();
        mark.remember("deleted", new Seen(7, Phase.READ_TARGET, Phase.READ_TARGET));
        // By the session that writes the mark, whose clock goes forward only.
        deleteMark("");
        assertThat(mark.read("deleted")).isEmpty();
        mark.remember("deleted", first);
        assertThat(mark.read("deleted")).contains(first);
        deleteMark(" USING TIMESTAMP " + (Long.MAX_VALUE - 1));
        assertThatExceptionOfType(PhaseStoreException.class)
                .isThrownBy(() -> mark.remember("deleted", first))
                .withMessageContaining("version=1")
                .withMessageContaining("deleted");
    }

    private void deleteMark(String at) {
        ((CassandraPartitionDao) dao())
                .session()
                .execute("DELETE FROM \"" + KEYSPACE + "\".anneal_phase_mark" + at + " WHERE name = 'deleted'");
    }

    @Test
    void shouldSayWhatToDoAboutAMissingKeyspaceOrTable() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreUrl.parse(url("no_such")).open(SETTINGS))
                .withMessageContaining("no_such")
                .withMessageContaining("make the keyspace");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreUrl.parse(url("system_auth")).open(SETTINGS.withMakesTables(false)))
                .withMessageContaining("CREATE TABLE IF NOT EXISTS system_auth.items");
    }

    @Test
    void shouldFindOutTheLocalDataCentreOrTakeIt(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("driver.conf");
        Files.writeString(file, "datastax-java-driver.basic.load-balancing-policy.local-datacenter = datacenter1\n");
        try (CqlSession session = CassandraSessions.open(url(KEYSPACE), Optional.of(file))) {
            assertThat(session.execute("SELECT data_center FROM system.local")
                            .one()
                            .getString("data_center"))
                    .isEqualTo("datacenter1");
        }
        Files.writeString(file, "datastax-java-driver.basic.load-balancing-policy.local-datacenter = nowhere\n");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> CassandraSessions.open(url(KEYSPACE), Optional.of(file)))
                .withMessageContaining("localDataCentre=nowhere, dataCentres=[datacenter1]")
                .withMessageContaining("driver.conf");
        Commands.Result run = Commands.run(
                "migrate",
                "run",
                "--origin",
                url(KEYSPACE),
                "--origin-conf",
                file.toString(),
                "--target",
                "memory:",
                "--duration",
                "1s");
        assertThat(run.exitCode()).isOne();
        assertThat(run.err().lines())
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("ANL-3005", "localDataCentre=nowhere", "driver.conf");
    }

    @Test
    void shouldUseASessionOfTheCallersOwn() throws StoreUnavailableException {
        try (CqlSession session = CassandraSessions.open(url(KEYSPACE), Optional.empty())) {
            CassandraPartitionDao dao = CassandraPartitionDao.open(session, KEYSPACE, Clock.systemUTC());
            dao.close();
            assertThat(session.isClosed()).isFalse();
            assertThat(dao.keyspace()).isEqualTo(KEYSPACE);
        }
    }
}
