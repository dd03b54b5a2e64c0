package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.RateLimiter;
import io.anneal.key.TokenRange;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.Ring;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamReport;
import io.anneal.streaming.StreamRunner;
import io.anneal.streaming.StreamService;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The snippets on streaming of {@code docs/embed.md}: they compile, they run, and the page quotes them as they are. */
@Timeout(60)
class StreamSnippetsTest {
    private static final String TEXT = "CREATE TABLE shop.orders (id int PRIMARY KEY, item text)"
            + " WITH id = 11111111-2222-3333-4444-555555555555";

    @TempDir
    private Path directory;

    private static Node node(Store store) {
        Node node = Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                4,
                new SecureRandom());
        node.replicas().add("data", new StoreReplicas(store));
        // snippet: serve
        StreamService.of(node, HostEnvironment.system()).register(node.handlers());
        StreamRunner.of(node, HostEnvironment.system(), RateLimiter.UNLIMITED).register(node.handlers());
        // end
        return node;
    }

    private static InetSocketAddress listen(Node node) throws IOException {
        return node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @Test
    void shouldFetchIntoThisProcessAndHaveAnotherNodeFetch() throws IOException {
        try (Store first = Store.open(directory.resolve("first"));
                Store store = Store.open(directory.resolve("store"));
                Store third = Store.open(directory.resolve("third"));
                Node giving = node(first);
                Node node = node(store);
                Node taking = node(third)) {
            for (Store each : List.of(first, store, third)) {
                each.createTable(TEXT);
            }
            first.table("shop.orders").row().key("id", 7).set("item", "a spoon").insert();
            InetSocketAddress source = listen(giving);
            InetSocketAddress target = listen(taking);

            // snippet: fetch
            StreamSource from = StreamSource.at(node.peers(), source);
            StreamReport report = StreamPlan.into(new StoreReplicas(store))
                    .add("shop.orders", from, TokenRange.FULL)
                    .run(HostEnvironment.system());
            // end
            assertThat(report.sstables()).isEqualTo(1);
            assertThat(store.table("shop.orders").row(Map.of("id", 7))).isPresent();

            // snippet: ring
            Ring ring = Ring.of(TokenRange.FULL.split(16), Set.of("n1", "n2"));
            StreamPlan plan = StreamPlan.of().parallel(4).bytesPerSecond(50 << 20);
            for (Ring.Move move : ring.fill("n2", Set.of("n1"))) {
                plan.add("shop.orders", from, StreamTarget.at(node.peers(), target), List.of(move.range()));
            }
            // end
            plan.run(HostEnvironment.system());
            assertThat(third.table("shop.orders").row(Map.of("id", 7))).isPresent();
        }
    }

    @Test
    void shouldQuoteTheSnippets() throws IOException {
        Snippets.assertQuoted(StreamSnippetsTest.class, "embed.md", 3);
    }
}
