package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.dualdao.cassandra.CassandraPhaseStore;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.harness.store.CassandraSessions;
import io.anneal.harness.store.StoreUnavailableException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Phases in two nodes with a replica each, until one dies. With {@code -Danneal.all=true} alone: they take two gigabytes. */
@WithCassandra
@EnabledIfSystemProperty(named = "anneal.all", matches = "true")
final class TwoNodePhaseStoreTest {
    private static final String KEYSPACE = "phases_of_two";
    private static final Instant AT = Instant.parse("2026-01-01T10:15:30.123456Z");
    private static final int HEAP_MIB = 512;

    @TempDir
    private Path directory;

    private CassandraPeer start(String address, long token, String seed) {
        return CassandraPeer.start(CassandraPeerConfig.in(directory.resolve(address))
                .withHeapMiB(HEAP_MIB)
                .withPlace(address, token, seed)
                // A node of a ring of one need not wait for others to answer.
                .withSettings(List.of(), List.of("-Dcassandra.ring_delay_ms=30000")));
    }

    private static CqlSession session(CassandraPeer peer) throws StoreUnavailableException {
        return CassandraSessions.open(
                "cassandra://" + peer.config().address() + ":" + peer.cqlPort() + "/" + KEYSPACE, Optional.empty());
    }

    @Test
    void shouldAgreeOverTwoNodesAndStandStillWithoutOneOfThem() throws Exception {
        try (CassandraPeer first = start("127.0.0.1", 0, "");
                CassandraPeer second = start("127.0.0.2", Long.MIN_VALUE / 2, "127.0.0.1:" + first.storagePort())) {
            first.awaitRing(2);
            second.awaitRing(2);
            first.execute("CREATE KEYSPACE " + KEYSPACE
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            try (CqlSession atFirst = session(first);
                    CqlSession atSecond = session(second)) {
                CassandraPhaseStore.createSchema(atFirst, KEYSPACE);
                PhaseStore one = CassandraPhaseStore.of(atFirst, KEYSPACE);
                PhaseStore two = CassandraPhaseStore.of(atSecond, KEYSPACE);

                PhaseRecord begun = PhaseRecord.first("ann", AT, "begin");
                one.create("m", begun);
                assertThat(two.read("m")).contains(begun);
                PhaseRecord winner = race(one, two, begun);
                assertThat(one.history("m")).containsExactly(begun, winner);
                assertThat(two.history("m")).containsExactly(begun, winner);
                one.heartbeat("m", new Heartbeat("i-1", 2, true, AT, Map.of("k", "v")));
                assertThat(two.heartbeats("m")).extracting(Heartbeat::instance).containsExactly("i-1");

                ProcessHandle process = ProcessHandle.of(second.pid()).orElseThrow();
                process.destroyForcibly();
                process.onExit().join();
                PhaseRecord next = winner.changed(Phase.READ_TARGET, 100, "ann", AT, "on");
                // Before the nodes notice and after, who asks is told; nobody takes silence for an answer.
                for (int i = 0; i < 3; i++) {
                    assertThatExceptionOfType(PhaseStoreException.class)
                            .isThrownBy(() -> one.compareAndSet("m", 2, next))
                            .withMessageContaining("name=m");
                    assertThatExceptionOfType(PhaseStoreException.class).isThrownBy(() -> one.read("m"));
                    assertThatExceptionOfType(PhaseStoreException.class).isThrownBy(() -> one.heartbeats("m"));
                }
            }
        }
    }

    /** Both at once change what is there; one of them does. */
    private static PhaseRecord race(PhaseStore one, PhaseStore two, PhaseRecord from) throws Exception {
        PhaseRecord byAnn = from.changed(Phase.WRITE_BOTH, 100, "ann", AT, "on");
        PhaseRecord byBob = from.changed(Phase.WRITE_BOTH, 50, "bob", AT, "on");
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            var ann = CompletableFuture.supplyAsync(() -> one.compareAndSet("m", 1, byAnn), threads);
            var bob = CompletableFuture.supplyAsync(() -> two.compareAndSet("m", 1, byBob), threads);
            assertThat(ann.get()).isNotEqualTo(bob.get());
            return ann.get() ? byAnn : byBob;
        } finally {
            threads.shutdown();
        }
    }
}
