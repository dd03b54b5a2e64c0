package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.NetConfig;
import io.anneal.net.NetLimits;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.net.Waiting;
import io.anneal.node.Node;
import io.anneal.node.StoreReplicas;
import io.anneal.paging.message.PageQuestion;
import io.anneal.paging.message.PagingWire;
import io.anneal.paging.message.TableName;
import io.anneal.paging.querier.PagingMetrics;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
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
        return node(CanonicalEncoder.LAYOUT_VERSION);
    }

    private static Node node(int encoding) {
        return Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION_OLDEST, encoding)),
                4,
                new SecureRandom());
    }

    private void start(InetSocketAddress wanted) throws IOException {
        start(wanted, QuerierLimits.DEFAULT);
    }

    private void start(InetSocketAddress wanted, QuerierLimits limits) throws IOException {
        server = node();
        server.replicas().add("data", new StoreReplicas(store));
        metrics = new PagingMetrics("test", host.nanoTime());
        service = new PagingService(server.replicas(), server.budget(), host, limits, metrics);
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
        await(() -> metric("querier_cache_population") == 0);
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

    /** More than the wire and both ends hold of a scan that nobody goes on with. */
    private void writeMuch() throws IOException {
        for (int k = 0; k < 64; k++) {
            table.row()
                    .key("k", KEYS + k)
                    .clustering("c", 0)
                    .set("v", "v".repeat(64 << 10))
                    .insert();
        }
    }

    /** However long it takes: the time of the class ends it. */
    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldHoldAWindowAndTwoPagesForWhoReadsSlowly() throws Exception {
        writeMuch();
        long pageBytes = 200 << 10;
        long windowBytes = NetLimits.DEFAULT.windowBytesMax();
        try (Paging paging = Paging.open()) {
            Scan scan = paging.table(remote()).scan().limits(PageLimits.DEFAULT.withBytes(pageBytes / 2));
            List<String> read = new ArrayList<>();
            for (TableRow row : scan) {
                assertThat(client.budget().reservedBytes()).isLessThanOrEqualTo(2 * windowBytes);
                assertThat(server.budget().reservedBytes()).isLessThanOrEqualTo(2 * (pageBytes + windowBytes));
                read.add(row.toString());
            }

            assertThat(read).isEqualTo(rows(paging.table(table).scan()));
            assertThat(server.budget().reservedBytesMost())
                    .isGreaterThan(pageBytes / 2)
                    .isLessThanOrEqualTo(2 * (pageBytes + windowBytes));
        }
        await(() -> client.budget().reservedBytes() == 0 && server.budget().reservedBytes() == 0);
    }

    @Test
    void shouldLetGoOfWhatWasSentAheadOfAScanThatIsGivenUp() throws Exception {
        writeMuch();
        try (Paging paging = Paging.open();
                ScanPages pages = paging.table(remote()).scan().pageSize(7).pages()) {
            assertThat(pages.next()).isPresent();
            await(() -> client.budget().reservedBytes() > 0);
        }
        await(() -> client.budget().reservedBytes() == 0 && server.budget().reservedBytes() == 0);
        await(() -> metric("querier_cache_population") == 0);
        assertThat(metric("querier_cache_time_based_evictions")).isZero();
    }

    @Test
    void shouldLetGoOfWhatNobodyTakesAndGoOnWhenItIsWanted() throws Exception {
        writeMuch();
        stop();
        start(address, QuerierLimits.DEFAULT.withIdle(Duration.ofMillis(100)));
        try (Paging paging = Paging.open();
                ScanPages pages = paging.table(remote()).scan().pageSize(7).pages()) {
            long rowCount = pages.next().orElseThrow().rowCount();
            await(() -> client.budget().reservedBytes() == 0 && server.budget().reservedBytes() == 0);
            while (pages.hasNext()) {
                rowCount += pages.next().orElseThrow().rowCount();
            }
            assertThat(rowCount).isEqualTo(rows(paging.table(table).scan()).size());
        }
    }

    @Test
    void shouldGoOnFromACookieOfAStreamThatWasCut() throws IOException {
        List<String> read = new ArrayList<>();
        try (Paging paging = Paging.open()) {
            Optional<String> cookie = Optional.empty();
            do {
                Scan scan = paging.table(remote()).scan().pageSize(100);
                try (ScanPages pages = cookie.isPresent() ? scan.pages(cookie.get()) : scan.pages()) {
                    for (int i = 0; i < 2 && pages.hasNext(); i++) {
                        try (TableRows rows = scan.rows(pages.next().orElseThrow())) {
                            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                                read.add(row.toString());
                            }
                        }
                    }
                    cookie = pages.cookie();
                    stop();
                }
                start(address);
            } while (cookie.isPresent());
            assertThat(read).isEqualTo(rows(paging.table(table).scan()));
        }
    }

    @Test
    void shouldReadPageByPageWhereMemoryForMoreIsGone() throws IOException {
        writeMuch();
        long free = server.budget().totalBytes() * 3 / 4 - server.budget().reservedBytes();
        assertThat(server.budget().tryReserveSpare(free)).isTrue();
        try (Paging paging = Paging.open()) {
            assertThat(rows(paging.table(remote()).scan().pageSize(7)))
                    .isEqualTo(rows(paging.table(table).scan()));
        } finally {
            server.budget().release(free);
        }
    }

    @Test
    void shouldTellOfAnAlteredTableWhenItsRowsAreWanted() throws IOException {
        writeMuch();
        try (Paging paging = Paging.open();
                ScanPages pages = paging.table(remote()).scan().pageSize(7).pages()) {
            assertThat(pages.next().orElseThrow().rowCount()).isEqualTo(7);
            store.alterTable("ALTER TABLE ks.t ADD w int");
            assertThatThrownBy(() -> {
                        while (pages.hasNext()) {
                            assertThat(pages.next().orElseThrow().rowCount()).isLessThanOrEqualTo(7);
                        }
                    })
                    .hasMessageContaining("schema differs");
            assertThat(pages.cookie()).isPresent();
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

    /** As an earlier release asks, with no check of its own. */
    private static void askForAPage(Connection earlier, TableSchema schema) throws IOException {
        PageRequest request = new PageRequest(
                UUID.randomUUID(),
                ReadQuery.ofRanges(List.of(TokenRange.FULL)),
                Optional.empty(),
                PageLimits.DEFAULT,
                0,
                false);
        TableName name = new TableName("", "ks", schema.name());
        MessageStream messages = earlier.open(PagingWire.PAGES).messages();
        messages.write(
                PagingWire.QUESTION, ByteBuffer.wrap(PageQuestion.encode(name, SchemaText.print(schema), request)));
        messages.stream().end();
        Waiting.result(messages.read()).ifPresent(Message::close);
    }

    @Test
    void shouldRefusePeersThatNumberTheColumnsInAnotherOrder() throws IOException {
        Table renumbered = store.createTable("CREATE TABLE ks.u (k int PRIMARY KEY, \"é\" int, b int)");
        client.close();
        client = node(CanonicalEncoder.LAYOUT_VERSION_OLDEST);
        String reason = "one side runs an earlier Anneal, which numbers columns of this table in another order";

        try (Paging paging = Paging.open()) {
            RemotePages there = RemotePages.open(client.peers(), address, "", "ks", "u");
            assertThatThrownBy(() -> rows(paging.table(there).scan())).hasStackTraceContaining(reason);
            assertThat(rows(paging.table(remote()).scan()))
                    .isEqualTo(rows(paging.table(table).scan()));
        }
        Connection earlier = client.peers().open(address);
        assertThatThrownBy(() -> askForAPage(earlier, renumbered.schema()))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining(reason);
        askForAPage(earlier, table.schema());
    }
}
