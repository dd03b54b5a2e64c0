package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent beside a real node that speaks TLS alone, by JMX and by CQL, with a certificate that the node made itself, and wants one of who
 * comes for CQL. The agent has the same.
 */
final class AgentOverTlsTest {
    private static final String HOST = "127.0.5.1";
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path directory;

    private Path token;
    private int agents;

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(printed).isZero();
    }

    private Path keyStore() throws IOException, InterruptedException {
        Path store = directory.resolve("keystore");
        keytool(
                "-genkeypair",
                "-alias",
                "node",
                "-keyalg",
                "EC",
                "-dname",
                "CN=node",
                "-ext",
                "san=ip:127.0.0.1,ip:" + HOST,
                "-keystore",
                store.toString());
        return store;
    }

    private Path trustStore(Path keyStore) throws IOException, InterruptedException {
        Path certificate = directory.resolve("certificate");
        keytool("-exportcert", "-alias", "node", "-file", certificate.toString(), "-keystore", keyStore.toString());
        Path store = directory.resolve("truststore");
        keytool(
                "-importcert",
                "-noprompt",
                "-alias",
                "node",
                "-file",
                certificate.toString(),
                "-keystore",
                store.toString());
        return store;
    }

    private CassandraPeer start(Path keyStore, Path trustStore) {
        List<String> yaml = List.of(
                "authenticator: PasswordAuthenticator",
                "client_encryption_options: { enabled: true, optional: false, require_client_auth: true, keystore: '"
                        + keyStore
                        + "', keystore_password: '" + PASSWORD + "', truststore: '" + trustStore
                        + "', truststore_password: '"
                        + PASSWORD + "' }");
        List<String> options = List.of(
                "-XX:TieredStopAtLevel=1",
                "-Dcassandra.skip_sync=true",
                "-Dcassandra.superuser_setup_delay_ms=0",
                "-Dcom.sun.management.jmxremote.ssl=true",
                "-Djavax.net.ssl.keyStore=" + keyStore,
                "-Djavax.net.ssl.keyStorePassword=" + PASSWORD,
                "-Djavax.net.ssl.trustStore=" + trustStore,
                "-Djavax.net.ssl.trustStorePassword=" + PASSWORD);
        return CassandraPeer.start(CassandraPeerConfig.in(directory.resolve("node"))
                .withSettings(yaml, options)
                .withHeapMiB(512)
                .withPlace(HOST, 0, ""));
    }

    private Commands.Server startAgent(CassandraPeer node, Map<String, String> environment, String... tls)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--jmx",
                "127.0.0.1:" + node.jmxPort(),
                "--cql",
                HOST + ":" + node.cqlPort(),
                "--listen",
                HOST + ":0",
                "--directory",
                directory.resolve("agent").toString(),
                "--token-file",
                token.toString()));
        arguments.addAll(List.of(tls));
        return Commands.Server.startAgent(
                directory.resolve("agent" + agents++ + ".log"), environment, arguments.toArray(String[]::new));
    }

    @Test
    void shouldSpeakTlsWithItsNodeAndTrustNoOther() throws Exception {
        token = Commands.tokenFile(directory);
        Path keyStore = keyStore();
        Path trustStore = trustStore(keyStore);
        String trusts = "-Djavax.net.ssl.trustStore=" + trustStore + " -Djavax.net.ssl.trustStorePassword=" + PASSWORD;
        Map<String, String> unknown = Map.of("JAVA_TOOL_OPTIONS", trusts);
        Map<String, String> trusting = Map.of(
                "JAVA_TOOL_OPTIONS",
                trusts + " -Djavax.net.ssl.keyStore=" + keyStore + " -Djavax.net.ssl.keyStorePassword=" + PASSWORD);
        try (CassandraPeer node = start(keyStore, trustStore)) {
            node.executeAll(List.of(
                    "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                    "CREATE TABLE shop.orders (k int PRIMARY KEY, v text)",
                    "INSERT INTO shop.orders (k, v) VALUES (1, 'one')"));
            awaitFirstUser(node);
            String[] all = {
                "--jmx-tls", "--cql-tls", "--cql-user", "cassandra", "--cql-password-file", password("cassandra")
            };
            try (Commands.Server agent = startAgent(node, trusting, all)) {
                Commands.Result status =
                        Commands.run("cluster", "status", "--agent", agent.address(), "--token-file", token.toString());
                assertThat(status.exitCode()).as(status.err() + status.out()).isZero();
                assertThat(status.out()).contains(HOST + ":" + node.storagePort(), "holds nothing");
                // It has asked for the ring by JMX, and for the tables by CQL.
                Commands.Result repair = Commands.run(
                        "cluster", "repair", "shop", "--agent", agent.address(), "--token-file", token.toString());
                assertThat(repair.err()).contains("ANL-3010", "no range of the keyspace has two replicas");
            }
            assertRefused(node, Map.of(), "JMX can't be reached", "--jmx-tls", "--cql-tls");
            assertRefused(node, trusting, "JMX can't be reached", "--cql-tls");
            assertRefused(node, trusting, "what=connect without TLS", "--jmx-tls");
            assertRefused(node, unknown, "what=connect over TLS", all);
            assertRefused(node, trusting, "give --cql-user and --cql-password-file", "--jmx-tls", "--cql-tls");
            all[all.length - 1] = password("wrong");
            assertRefused(node, trusting, "password are incorrect", all);
        }
    }

    private String password(String word) throws IOException {
        Path file = Files.createFile(
                directory.resolve(word),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, word).toString();
    }

    /** Cassandra makes it a while after it answers. */
    private static void awaitFirstUser(CassandraPeer node) {
        while (node.execute("SELECT role FROM system_auth.roles").column("role").isEmpty()) {
            LockSupport.parkNanos(50_000_000);
        }
    }

    private void assertRefused(CassandraPeer node, Map<String, String> environment, String reason, String... tls) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> startAgent(node, environment, tls))
                .withMessageContaining(reason);
        assertThat(Files.exists(directory.resolve("agent").resolve("fence"))).isFalse();
    }
}
