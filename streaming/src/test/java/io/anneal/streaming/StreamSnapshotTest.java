package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.node.StoreReplicas;
import io.anneal.node.Waiver;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FaultyProxy;
import io.anneal.testkit.LinkFault;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a target gets is what its source had at one moment, however many attempts it takes. */
@Timeout(60)
class StreamSnapshotTest {
    private static final String SCHEMA = "CREATE TABLE ks.t (k int PRIMARY KEY, v text)"
            + " WITH id = 11111111-2222-3333-4444-555555555555 AND gc_grace_seconds = 0";
    private static final int DELETED_KEY = 5;
    /** Of what goes over the wire beside files: frames, handshake, answers. */
    private static final int BESIDE_BYTES = 3_000;

    @TempDir
    private Path directory;

    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    private Store open(String name) throws IOException {
        return Store.open(
                directory.resolve(name),
                StoreConfig.defaults(),
                HostEnvironment.system().withClock(() -> now));
    }

    /** Rows in one SSTable, the deletion of one of them in the next. */
    private Table fill(Store store) throws IOException {
        Table table = store.createTable(SCHEMA);
        Random random = new Random(1);
        for (int k = 0; k < 1000; k++) {
            byte[] bytes = new byte[500];
            random.nextBytes(bytes);
            table.row().key("k", k).set("v", HexFormat.of().formatHex(bytes)).insert();
        }
        table.flush();
        now = now.plusSeconds(1);
        table.row().key("k", DELETED_KEY).deletePartition();
        table.flush();
        return table;
    }

    /** Of all SSTables but the last. */
    private static long rowBytes(Table table) throws IOException {
        try (LiveFiles files = table.liveFiles()) {
            return files.sstables().subList(0, files.sstables().size() - 1).stream()
                    .mapToLong(LiveFiles.PinnedSSTable::lengthBytes)
                    .sum();
        }
    }

    @Test
    void shouldBringNothingBackWhenTheSourcePurgedTheDeletionBetweenTwoAttempts() throws IOException {
        try (Store from = open("from");
                Store to = open("to");
                TestNode node = TestNode.of(new StoreReplicas(from));
                FaultyProxy proxy = FaultyProxy.to(node.address())) {
            Table source = fill(from);
            Table target = to.createTable(SCHEMA);
            proxy.inject(LinkFault.reset(LinkFault.Direction.TO_CLIENT, rowBytes(source) + BESIDE_BYTES));
            AtomicInteger connects = new AtomicInteger();
            Connector healing = peer -> {
                if (connects.getAndIncrement() > 0) {
                    now = now.plusSeconds(10);
                    source.compactAsync().join();
                    proxy.heal();
                }
                return node.node().peers().connect(peer);
            };

            StreamPlan.into(new StoreReplicas(to))
                    .add("ks.t", StreamSource.at(healing, proxy.address()), TokenRange.FULL)
                    .allow(Set.of(Waiver.NO_GC_GRACE))
                    .run(HostEnvironment.system());

            assertThat(connects).hasValue(2);
            assertThat(target.row(Map.of("k", DELETED_KEY))).isEmpty();
            assertThat(target.row(Map.of("k", DELETED_KEY + 1))).isPresent();
            assertThat(target.sstableCount()).isEqualTo(source.sstableCount());
        }
    }
}
