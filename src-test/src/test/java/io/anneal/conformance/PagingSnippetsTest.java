package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.Ring;
import io.anneal.node.StoreReplicas;
import io.anneal.paging.Consistency;
import io.anneal.paging.PagedTable;
import io.anneal.paging.Paging;
import io.anneal.paging.PagingCookieException;
import io.anneal.paging.PagingService;
import io.anneal.paging.RemotePages;
import io.anneal.paging.Scan;
import io.anneal.paging.ScanPage;
import io.anneal.paging.querier.PagingMetrics;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.PageSource;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of {@code docs/paging.md}: they compile, they run, and the page quotes them as they are. */
@Timeout(60)
class PagingSnippetsTest {
    private static final String TEXT = "CREATE TABLE shop.orders (customer int, placed int, item text, price int,"
            + " PRIMARY KEY (customer, placed)) WITH CLUSTERING ORDER BY (placed DESC)";
    private static final int CUSTOMERS = 20;
    private static final int ORDERS = 15;

    @TempDir
    private Path directory;

    private Store store() throws IOException {
        Store store = Store.open(directory.resolve("store"));
        Table orders = store.createTable(TEXT);
        for (int customer = 0; customer < CUSTOMERS; customer++) {
            for (int placed = 0; placed < ORDERS; placed++) {
                orders.row()
                        .key("customer", customer)
                        .clustering("placed", placed)
                        .set("item", placed % 3 == 0 ? "bread" : "milk")
                        .set("price", placed)
                        .insert();
            }
        }
        orders.flush();
        return store;
    }

    private static long rows(Store store) {
        // snippet: rows
        long total = 0;
        try (Paging paging = Paging.open()) {
            PagedTable orders = paging.table(store.table("shop.orders"));
            for (TableRow row : orders.scan().where("item", "=", "bread")) {
                total += row.getInt("price");
            }
        }
        // end
        return total;
    }

    private static List<TableRow> latest(PagedTable orders) {
        // snippet: partition
        List<TableRow> oldest;
        try (Stream<TableRow> rows = orders.partition(7).where("placed", ">=", 3).reversed().limit(10).stream()) {
            oldest = rows.toList();
        }
        // end
        return oldest;
    }

    private static long files(Path directory) throws IOException {
        long count = 0;
        // snippet: files
        try (SSTables files = SSTables.open(directory);
                Paging paging = Paging.open()) {
            for (TableRow row : paging.table(files).scan()) {
                count++;
            }
        }
        // end
        return count;
    }

    private static PagedTable there(Node node, InetSocketAddress address, Paging paging) throws IOException {
        // snippet: replica
        RemotePages there = RemotePages.open(node.peers(), address, "", "shop", "orders");
        PagedTable orders = paging.table(there);
        // end
        return orders;
    }

    private static PagedTable ofRing(Path describering, Map<String, PageSource> replicas, Paging paging)
            throws IOException {
        // snippet: ring
        Ring ring = Ring.parse(Files.readString(describering));
        PagedTable orders = paging.table(ring, replicas, Consistency.QUORUM);
        // end
        return orders;
    }

    private static HttpServer serve(PagedTable orders, byte[] secret, InetSocketAddress address) throws IOException {
        // snippet: http
        Scan scan = orders.scan().pageSize(100).signedWith(secret);
        HttpServer server = HttpServer.create(address, 0);
        server.createContext("/orders", exchange -> {
            try (InputStream request = exchange.getRequestBody()) {
                request.readAllBytes();
                String cookie = exchange.getRequestURI().getQuery();
                ScanPage page = cookie == null ? scan.firstPage() : scan.nextPage(cookie);
                Headers headers = exchange.getResponseHeaders();
                page.cookie().ifPresent(next -> headers.add("Link", "</orders?" + next + ">; rel=next"));
                exchange.sendResponseHeaders(200, 0);
                for (TableRow row : page.rows()) {
                    String line = row.getInt("customer") + " " + row.getString("item") + "\n";
                    exchange.getResponseBody().write(line.getBytes(StandardCharsets.UTF_8));
                }
            } catch (PagingCookieException e) {
                exchange.sendResponseHeaders(400, -1);
            } finally {
                exchange.close();
            }
        });
        server.start();
        // end
        return server;
    }

    private static Flow.Publisher<TableRow> publisher(PagedTable orders, Executor executor) {
        // snippet: publisher
        Flow.Publisher<TableRow> rows = orders.scan().pageSize(1_000).publisher(executor);
        // end
        return rows;
    }

    private static PagingMetrics limits(Store store) {
        // snippet: limits
        PagingMetrics metrics = new PagingMetrics("shop", System::nanoTime);
        QuerierLimits limits = QuerierLimits.DEFAULT.withBytes(256L << 20).withIdle(Duration.ofSeconds(30));
        try (Paging paging = Paging.open(limits, HostEnvironment.system(), metrics)) {
            paging.table(store.table("shop.orders")).scan().pageSize(10).forEach(row -> {});
        }
        // end
        return metrics;
    }

    @Test
    void shouldReadRows() throws Exception {
        try (Store store = store();
                Paging paging = Paging.open()) {
            PagedTable orders = paging.table(store.table("shop.orders"));

            assertThat(rows(store)).isEqualTo(CUSTOMERS * (0L + 3 + 6 + 9 + 12));
            assertThat(latest(orders))
                    .extracting(row -> row.value("placed"))
                    .containsExactlyElementsOf(IntStream.range(3, 13).boxed().toList());
            assertThat(published(publisher(orders, Runnable::run))).isEqualTo(CUSTOMERS * ORDERS);
            assertThat(limits(store)
                            .values()
                            .get("paging.querier_cache_lookups")
                            .longValue())
                    .isPositive();
        }
        try (Stream<Path> tables = Files.walk(directory)) {
            Path table = tables.filter(path -> path.getFileName().toString().startsWith("orders-"))
                    .findFirst()
                    .orElseThrow();
            assertThat(files(table)).isEqualTo(CUSTOMERS * ORDERS);
        }
    }

    private static long published(Flow.Publisher<TableRow> rows) throws Exception {
        CompletableFuture<Long> count = new CompletableFuture<>();
        rows.subscribe(new Flow.Subscriber<>() {
            private long seen;

            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(TableRow row) {
                seen++;
            }

            @Override
            public void onError(Throwable failure) {
                count.completeExceptionally(failure);
            }

            @Override
            public void onComplete() {
                count.complete(seen);
            }
        });
        return count.get();
    }

    @Test
    void shouldReadAnotherNodesTable() throws Exception {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        NetConfig config = NetConfig.of(
                new NodeIdentity(UUID.randomUUID(), "example", Map.of()),
                Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                new VersionRange(CanonicalEncoder.LAYOUT_VERSION_OLDEST, CanonicalEncoder.LAYOUT_VERSION));
        try (Store store = store();
                Node node = Node.open(config, 4, new SecureRandom());
                PagingService service =
                        PagingService.of(node, HostEnvironment.system(), new PagingMetrics("there", System::nanoTime));
                Node asking = Node.open(config, 4, new SecureRandom());
                Paging paging = Paging.open()) {
            service.register(node.handlers());
            node.replicas().add("orders", new StoreReplicas(store));

            InetSocketAddress address = node.listen(loopback);
            PagedTable orders = there(asking, address, paging);
            Path describering = Files.writeString(
                    directory.resolve("ring"),
                    "TokenRange: \n\tTokenRange(start_token:0, end_token:0, endpoints:[n1], rpc_endpoints:[])\n");
            PageSource there = RemotePages.open(asking.peers(), address, "", "shop", "orders");
            PagedTable ofRing = ofRing(describering, Map.of("n1", there), paging);

            assertThat(orders.scan().pageSize(7).stream().count()).isEqualTo(CUSTOMERS * ORDERS);
            assertThat(ofRing.scan().pageSize(7).stream().count()).isEqualTo(CUSTOMERS * ORDERS);
        }
    }

    /** Each page from another process than the one before, as it were: a server with the same secret. */
    @Test
    void shouldServePagesFromWhateverServer() throws Exception {
        byte[] secret = "what all servers know".getBytes(StandardCharsets.UTF_8);
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Store store = store();
                Paging one = Paging.open();
                Paging two = Paging.open()) {
            Table table = store.table("shop.orders");
            List<HttpServer> servers =
                    List.of(serve(one.table(table), secret, loopback), serve(two.table(table), secret, loopback));
            try {
                HttpClient client = HttpClient.newHttpClient();
                List<String> rows = new ArrayList<>();
                String path = "/orders";
                int pages = 0;
                while (path != null && pages < 10) {
                    HttpResponse<String> answer = get(client, servers.get(pages % 2), path);
                    assertThat(answer.statusCode()).isEqualTo(200);
                    rows.addAll(answer.body().lines().toList());
                    path = answer.headers()
                            .firstValue("Link")
                            .map(link -> link.substring(1, link.indexOf('>')))
                            .orElse(null);
                    pages++;
                }

                assertThat(rows).hasSize(CUSTOMERS * ORDERS);
                assertThat(pages).isBetween(3, 4);
                assertThat(get(client, servers.get(0), "/orders?forged").statusCode())
                        .isEqualTo(400);
            } finally {
                servers.forEach(server -> server.stop(0));
            }
        }
    }

    private static HttpResponse<String> get(HttpClient client, HttpServer server, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void shouldStandInThePage() throws IOException {
        Snippets.assertQuoted(PagingSnippetsTest.class, "paging.md", 8);
    }
}
