package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.OpenStore;
import io.anneal.harness.store.Partition;
import io.anneal.harness.store.PhaseStoreUrl;
import io.anneal.harness.store.StoreOutcomes;
import io.anneal.harness.store.StoreSettings;
import io.anneal.harness.store.StoreUnavailableException;
import io.anneal.harness.store.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Cassandra that speaks TLS only, and asks for a client's certificate and a password: all of it set by a file of the
 * driver's, over our Netty.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class GuardedCassandraTest {
    private static final String KEYSPACE = "guarded";
    private static final String PASSWORD = "annealing";
    private static final String ADDRESS = "127.0.0.1";
    private static final int TIMEOUT_SECONDS = 300;
    private static final int LOGINS_MAX = 30;
    private static final List<Item> ITEMS = List.of(new Item("b", "c", "d"));

    @TempDir
    private static Path directory;

    private static Path keyStore;
    private static Path clientKeyStore;
    private static CassandraPeer peer;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        keyStore = selfSigned("server.p12");
        clientKeyStore = selfSigned("client.p12");
        peer = CassandraPeer.start(Peers.shortLived(
                directory.resolve("peer"),
                "authenticator: PasswordAuthenticator",
                "client_encryption_options:",
                "  enabled: true",
                "  optional: false",
                "  keystore: '" + keyStore + "'",
                "  keystore_password: " + PASSWORD,
                "  require_client_auth: true",
                "  truststore: '" + clientKeyStore + "'",
                "  truststore_password: " + PASSWORD,
                "  store_type: PKCS12"));
        peer.execute("CREATE KEYSPACE " + KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        awaitFirstLogin();
    }

    /** Cassandra makes its first user a while after it answers. */
    private static void awaitFirstLogin() throws IOException {
        StoreUnavailableException refused = null;
        for (int i = 0; i < LOGINS_MAX; i++) {
            try {
                open(settings("cassandra", keyStore)).close();
                return;
            } catch (StoreUnavailableException e) {
                refused = e;
            }
        }
        throw refused;
    }

    @AfterAll
    static void stop() {
        peer.close();
    }

    private static Path selfSigned(String name) throws IOException, InterruptedException {
        Path file = directory.resolve(name).toAbsolutePath();
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-alias",
                        "node",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=ip:" + ADDRESS)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.log").toFile())
                .start();
        assertThat(keytool.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        return file;
    }

    private static String url() {
        return "cassandra://" + ADDRESS + ":" + peer.cqlPort() + "/" + KEYSPACE;
    }

    private static Path settings(String password, Path trusted) throws IOException {
        return settings(password, trusted, clientKeyStore);
    }

    private static Path settings(String password, Path trusted, Path own) throws IOException {
        String certificate = own == null ? "" : """
                    keystore-path = "%s"
                    keystore-password = %s
                """.formatted(own, PASSWORD);
        return settings(password, """
                  advanced.ssl-engine-factory {
                    class = DefaultSslEngineFactory
                    hostname-validation = true
                    truststore-path = "%s"
                    truststore-password = %s
                %s  }
                """.formatted(trusted, PASSWORD, certificate));
    }

    private static Path settings(String password, String tls) throws IOException {
        Path file = Files.createTempFile(directory, "driver", ".conf");
        Files.writeString(
                file,
                "datastax-java-driver {\n" + tls
                        + "  advanced.auth-provider { class = PlainTextAuthProvider, username = cassandra, password = "
                        + password + " }\n}\n");
        return file;
    }

    private static OpenStore open(Path settings) throws IOException {
        return StoreUrl.parse(url())
                .open(StoreSettings.of("origin", Delayer.NONE).withDriverConfiguration(Optional.of(settings)));
    }

    @Test
    void shouldReadAndWriteOverTlsWithACertificateAndAPassword() throws IOException {
        try (OpenStore store = open(settings("cassandra", keyStore))) {
            store.dao().write(7, ITEMS).toCompletableFuture().join();
            assertThat(store.dao().read(7).toCompletableFuture().join()).isEqualTo(new Partition(7, ITEMS));
        }
    }

    @Test
    void shouldSayThatAPasswordIsWrong() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> open(settings("wrong", keyStore)))
                .withMessageContaining(url())
                .withMessageContaining("Authentication error")
                .withMessageNotContaining("wrong,");
    }

    @Test
    void shouldSayThatACertificateIsNotTrusted() throws Exception {
        Path other = selfSigned("other.p12");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> open(settings("cassandra", other)))
                .withMessageContaining(url())
                .withMessageContaining("SSLHandshakeException");
    }

    /** Why, the server alone knows: what it tells the client differs by its TLS library, and may be cut off by its hanging up. */
    @Test
    void shouldPointToTheLogOfAServerThatRefusesTheCertificateOfTheClient() throws Exception {
        Path unknown = selfSigned("unknown.p12");
        for (Path own : new Path[] {null, unknown}) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> open(settings("cassandra", keyStore, own)))
                    .withMessageContaining(url())
                    .withMessageContaining("what its log says of this client")
                    .withMessageNotContaining("\n");
        }
    }

    @Test
    void shouldGiveUpInTimeOnANodeThatSpeaksTlsOnly() throws IOException {
        Path plain = settings("cassandra", "");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> open(plain))
                .withMessageContaining(url());
    }

    /** The last of all, since nothing is there afterwards. */
    @Test
    @Order(Integer.MAX_VALUE)
    void shouldFailInTimeOnceCassandraIsGone() throws IOException {
        Path settings = settings("cassandra", keyStore);
        try (OpenStore store = open(settings);
                PhaseStore phases = PhaseStoreUrl.parse(url()).open(Optional.of(settings), true)) {
            assertThat(phases.read("m")).isEmpty();
            peer.close();
            Throwable failure = store.dao()
                    .write(7, ITEMS)
                    .handle((none, thrown) -> thrown)
                    .toCompletableFuture()
                    .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .join();
            assertThat(failure).isNotNull();
            assertThat(new StoreOutcomes().apply(failure)).isIn(SideOutcome.UNKNOWN, SideOutcome.FAILED);
            assertThatExceptionOfType(PhaseStoreException.class)
                    .isThrownBy(() -> phases.read("m"))
                    .withMessageContaining("name=m")
                    .withMessageContaining("check that Cassandra runs");
        }
    }
}
