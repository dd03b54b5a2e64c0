package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who answers over TLS must be who is asked: a certificate of somebody else is refused, though it is trusted. */
class CqlOverTlsTest {
    private static final String PASSWORD = "password";
    private static final Optional<LiveNodeConfig.Login> LOGIN =
            Optional.of(new LiveNodeConfig.Login("agent", "secret"));

    @TempDir
    private Path directory;

    private SSLServerSocket server;
    /** How much the server was sent within TLS, up to its first answer, which never comes. */
    private CompletableFuture<Integer> read;

    private SSLContext context(String names) throws Exception {
        Path keys = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "node",
                        "-keyalg",
                        "EC",
                        "-validity",
                        "2",
                        "-dname",
                        "CN=node",
                        "-ext",
                        "san=" + names,
                        "-keystore",
                        keys.toString(),
                        "-storepass",
                        PASSWORD))
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store, PASSWORD.toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("node", store.getCertificate("node"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private InetSocketAddress serve(SSLContext context) throws IOException {
        server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
        read = CompletableFuture.supplyAsync(() -> {
            try (SSLSocket accepted = (SSLSocket) server.accept()) {
                return accepted.getInputStream().readNBytes(9).length;
            } catch (IOException refused) {
                return 0;
            }
        });
        // By its number: as a name it has another one.
        return new InetSocketAddress(
                InetAddress.getByAddress(server.getInetAddress().getAddress()), server.getLocalPort());
    }

    private static void open(InetSocketAddress address, SSLContext context, Optional<String> name) throws IOException {
        CqlConnection.open(
                address,
                LOGIN,
                Optional.of(context.getSocketFactory()),
                name,
                System::nanoTime,
                Duration.ofSeconds(30));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void shouldSayNothingToWhoeverHasACertificateOfAnotherName() throws Exception {
        SSLContext context = context("dns:elsewhere.example,ip:10.9.8.7");
        InetSocketAddress node = serve(context);

        assertThatExceptionOfType(SSLException.class)
                .isThrownBy(() -> open(node, context, Optional.empty()))
                .withMessageContaining("No subject alternative names matching IP address 127.0.0.1");
        assertThat(read.get()).as("bytes that it could read").isZero();
    }

    @Test
    void shouldSpeakToTheNodeThatTheCertificateNames() throws Exception {
        SSLContext context = context("ip:127.0.0.1");
        InetSocketAddress node = serve(context);

        // It hangs up on the first question.
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> open(node, context, Optional.empty()));
        assertThat(read.get()).isEqualTo(9);
    }

    @Test
    void shouldSpeakToTheNodeThatIsNamedByTheCaller() throws Exception {
        SSLContext context = context("dns:node.example");
        InetSocketAddress node = serve(context);

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> open(node, context, Optional.of("node.example")));
        assertThat(read.get()).isEqualTo(9);
    }
}
