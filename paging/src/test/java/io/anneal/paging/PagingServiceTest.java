package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.StoreReplicas;
import io.anneal.paging.querier.PagingMetrics;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.PageLimits;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pages of a store on another node are those of the store. */
@Timeout(60)
final class PagingServiceTest {
    private static final int KEYS = 50;
    private static final int ROWS = 30;

    @TempDir
    private Path directory;

    private final HostEnvironment host = HostEnvironment.system();
    private PagingMetrics metrics;
    private Store store;
    private Table table;
    private Node client;
    private Node server;
    private PagingService service;
    private InetSocketAddress address;

    @BeforeEach
    void serve() throws IOException {
        store = Store.open(directory, StoreConfig.defaults().withShardCount(3));
        table = store.createTable(
                "CREATE TABLE ks.t (k int, c int, v text, s text static, PRIMARY KEY (k, c)) WITH CLUSTERING ORDER BY (c DESC)");
        for (int k = 0; k < KEYS; k++) {
            table.row().key("k", k).set("s", "s" + k).update();
            for (int c = 0; c < k % ROWS; c++) {
                table.row()
                        .key("k", k)
                        .clustering("c", c)
                        .set("v", "v".repeat(c * c))
                        .insert();
            }
        }
        table.flush();
        client = node();
        start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static Node node() {
        return Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                4,
                new SecureRandom());
    }

    private void start(InetSocketAddress wanted) throws IOException {
        server = node();
        server.replicas().add("data", new StoreReplicas(store));
        metrics = new PagingMetrics("test", host.nanoTime());
        service = new PagingService(server.replicas(), host, QuerierLimits.DEFAULT, metrics);
        service.register(server.handlers());
        address = server.listen(wanted);
    }

    private void stop() {
        server.close();
        service.close();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        stop();
        store.close();
    }

    private RemotePages remote() throws IOException {
        return RemotePages.open(client.peers(), address, "", "ks", "t");
    }

    private static List<String> rows(Iterable<TableRow> scan) {
        List<String> rows = new ArrayList<>();
        scan.forEach(row -> rows.add(row.toString()));
        return rows;
    }

    private long metric(String name) {
        return metrics.values().get("paging." + name).longValue();
    }

    @Test
    void shouldGiveAPageOfAsManyBytesAsThereAre() throws IOException {
        try (Paging paging = Paging.open()) {
            PageLimits endless = PageLimits.DEFAULT.withBytes(Long.MAX_VALUE);

            assertThat(rows(paging.table(remote()).scan().limits(endless)))
                    .isEqualTo(rows(paging.table(table).scan()));
        }
    }

    @Test
    void shouldGiveWhatTheTableHas() throws IOException {
        try (Paging paging = Paging.open()) {
            PagedTable here = paging.table(table);
            PagedTable there = paging.table(remote());

            assertThat(rows(there.scan())).hasSizeGreaterThan(KEYS).isEqualTo(rows(here.scan()));
            assertThat(rows(there.scan().pageSize(7))).isEqualTo(rows(here.scan()));
            assertThat(rows(there.scan().pageSize(7).stateless())).isEqualTo(rows(here.scan()));
            assertThat(rows(there.scan().where("v", "=", "v").pageSize(3)))
                    .isEqualTo(rows(here.scan().where("v", "=", "v")));
            assertThat(rows(there.partition(29).pageSize(4))).isEqualTo(rows(here.partition(29)));
            assertThat(rows(there.partition(29).reversed().pageSize(4)))
                    .isEqualTo(rows(here.partition(29).reversed()));
        }
        assertThat(metric("querier_cache_lookups")).isPositive();
        assertThat(metric("querier_cache_misses")).isZero();
        assertThat(metric("querier_cache_population")).isZero();
    }

    @Test
    void shouldForgetAScanThatIsGivenUp() throws Exception {
        try (Paging paging = Paging.open()) {
            PagedTable there = paging.table(remote());
            try (var stream = there.scan().pageSize(7).stream()) {
                assertThat(stream.limit(20)).hasSize(20);
            }
        }
        for (int i = 0; i < 1_000 && metric("querier_cache_population") > 0; i++) {
            Thread.sleep(10);
        }
        assertThat(metric("querier_cache_population")).isZero();
        assertThat(metric("querier_cache_time_based_evictions")).isZero();
    }

    @Test
    void shouldGoOnWithANodeThatWasStartedAgain() throws IOException {
        try (Paging paging = Paging.open();
                ScanPages pages = paging.table(remote()).scan().pageSize(100).pages()) {
            long rowCount = pages.next().orElseThrow().rowCount();
            while (pages.hasNext()) {
                stop();
                start(address);
                rowCount += pages.next().orElseThrow().rowCount();
            }
            assertThat(rowCount).isEqualTo(rows(paging.table(table).scan()).size());
        }
    }

    @Test
    void shouldSayWhatIsNotThere() {
        assertThatThrownBy(() -> RemotePages.open(client.peers(), address, "", "ks", "nope"))
                .isInstanceOf(PeerException.class)
                .hasMessageContainingAll("nope", address.getHostString(), "refused");
        assertThatThrownBy(() -> RemotePages.open(client.peers(), address, "other", "ks", "t"))
                .isInstanceOf(PeerException.class)
                .hasMessageContainingAll("no replica of this name", "other");
    }

    @Test
    void shouldRefuseAScanOfATableThatWasAltered() throws IOException {
        try (Paging paging = Paging.open()) {
            PagedTable there = paging.table(remote());
            assertThat(rows(there.scan())).isNotEmpty();
            store.alterTable("ALTER TABLE ks.t ADD w int");
            assertThatThrownBy(() -> rows(there.scan())).hasMessageContaining("schema differs");
            assertThat(rows(paging.table(remote()).scan())).isNotEmpty();
        }
    }
}
