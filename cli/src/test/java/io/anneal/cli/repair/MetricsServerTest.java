package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.Connection;
import io.anneal.net.SharedToken;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSource;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a serving node counts is there for a Prometheus, by the names of {@code docs/metrics.md}. */
@Timeout(60)
class MetricsServerTest {
    private static final HostEnvironment HOST = HostEnvironment.system();
    private static final ReplicaSource NO_TABLES = (keyspace, table, staged) -> {
        throw new ReplicaException("no table is here, replica=none");
    };
    private static final String LINE = "anneal_[a-z0-9_]+\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*} -?[0-9]+";

    private CommandNode node;
    private MetricsServer metrics;

    private static CommandNode serve() throws Exception {
        SharedToken token = SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8));
        return CommandNode.serve(
                anyPort(),
                NO_TABLES,
                CommandNode.config(UUID.randomUUID(), Optional.of(token), ByteBudget.of(64 << 20)),
                HOST);
    }

    @BeforeEach
    void start() throws Exception {
        node = serve();
        metrics = MetricsServer.start(anyPort(), node.metricsTexts());
    }

    @AfterEach
    void stop() {
        metrics.close();
        node.close();
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private HttpResponse<String> ask(String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + metrics.address().getPort() + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void shouldShowTheNetworkAndRepairsInPrometheusFormat() throws Exception {
        try (CommandNode peer = serve()) {
            Connection connection = peer.node().client().open(node.address());
            assertThat(connection.isOpen()).isTrue();

            HttpResponse<String> answer = ask("GET", "/metrics");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("text/plain; version=0.0.4");
            List<String> lines = answer.body().lines().toList();
            String own = "{node=\"" + node.node().identity().nodeId() + "\"";
            assertThat(lines)
                    .allMatch(line -> line.matches(LINE))
                    .contains("anneal_repair_rows_read" + own + "} 0", "anneal_network_connections" + own + "} 1")
                    .contains("anneal_peer_connections" + own + ",peer=\""
                            + peer.node().identity().nodeId() + "\"} 1");
            assertThat(lines).doesNotHaveDuplicates();
            assertTogether(lines);
        }
    }

    /** The format wants the lines of one name to follow one another. */
    private static void assertTogether(List<String> lines) {
        LinkedHashSet<String> names = new LinkedHashSet<>();
        String last = "";
        for (String line : lines) {
            String name = line.substring(0, line.indexOf('{'));
            assertThat(name.equals(last) || names.add(name)).as(line).isTrue();
            last = name;
        }
    }

    @Test
    void shouldAnswerNothingElse() throws Exception {
        assertThat(ask("GET", "/").statusCode()).isEqualTo(404);
        assertThat(ask("GET", "/metrics/x").statusCode()).isEqualTo(404);
        assertThat(ask("POST", "/metrics").statusCode()).isEqualTo(405);
        assertThat(ask("HEAD", "/metrics").body()).isEmpty();
        assertThat(ask("GET", "/metrics").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldAnswerWhileOthersAskHalfAQuestion() throws Exception {
        List<Socket> halves = new ArrayList<>();
        try {
            halves.add(half());
            assertThat(ask("GET", "/metrics").statusCode()).isEqualTo(200);

            for (int i = 0; i < 2 * MetricsServer.THREADS; i++) {
                halves.add(half());
            }
            assertThat(ask("GET", "/metrics").statusCode()).isEqualTo(200);
            for (Socket half : halves) {
                assertThat(isClosedByTheServer(half)).isTrue();
            }
        } finally {
            for (Socket half : halves) {
                half.close();
            }
        }
    }

    private static boolean isClosedByTheServer(Socket half) throws IOException {
        try {
            return half.getInputStream().read() == -1;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** A client that stops in the middle of its request. */
    private Socket half() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), metrics.address().getPort());
        socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void shouldNameAnAddressThatIsTaken() {
        assertThatThrownBy(() -> MetricsServer.start(metrics.address(), List.of()))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("127.0.0.1:" + metrics.address().getPort());
    }
}
