package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of TLS: which are taken, and that they are taken up again when they change. */
@Timeout(60)
class TlsFilesTest {
    @TempDir
    private static Path shared;

    private static Certificates certificates;

    /** A server's files, which each test replaces as it likes. */
    @TempDir
    private Path directory;

    private TlsConfig own;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = Certificates.make(shared);
        certificates.revokeTheThird();
    }

    @BeforeEach
    void giveTheFirstNodesFiles() throws IOException {
        own = new TlsConfig(directory.resolve("c.pem"), directory.resolve("k.key"), directory.resolve("ca.pem"));
        put("node1.pem", own.certificateFile());
        put("node1.key", own.keyFile());
        put("ca.pem", own.authorityFile());
    }

    private void put(String source, Path target) throws IOException {
        Path copy = directory.resolve("new");
        Files.copy(certificates.file(source), copy, StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(copy, target, StandardCopyOption.ATOMIC_MOVE);
    }

    private static BigInteger serial(TlsMaterial material) {
        return material.certificate().getSerialNumber();
    }

    private static BigInteger serial(String file) throws IOException {
        return PemFile.read(certificates.file(file)).certificates().get(0).getSerialNumber();
    }

    @Test
    void shouldKeepTheOldFilesUntilTheNewOnesFitTogether() throws Exception {
        TlsFiles files = TlsFiles.of(own);
        TlsMaterial first = files.current();
        assertThat(serial(first)).isEqualTo(serial("node1.pem"));
        assertThat(files.current()).isSameAs(first);

        put("node2.pem", own.certificateFile());
        assertThat(files.current()).isSameAs(first);
        put("node2.key", own.keyFile());
        assertThat(serial(files.current())).isEqualTo(serial("node2.pem"));
    }

    @Test
    void shouldKeepTheOldFilesWhileOneIsHalfWritten() throws Exception {
        TlsFiles files = TlsFiles.of(own);
        TlsMaterial first = files.current();
        byte[] whole = Files.readAllBytes(certificates.file("node1.pem"));
        for (int lengthBytes = 0; lengthBytes < whole.length - 1; lengthBytes++) {
            Files.write(own.certificateFile(), Arrays.copyOf(whole, lengthBytes));
            assertThat(files.current()).as("lengthBytes=" + lengthBytes).isSameAs(first);
        }
        Files.delete(own.certificateFile());
        assertThat(files.current()).isSameAs(first);

        Files.write(own.certificateFile(), whole);
        assertThat(files.current()).isNotSameAs(first);
    }

    /** As {@code cp} and then {@code chmod} do: the second changes neither the key file's time nor its size. */
    @Test
    void shouldTakeAKeyOnceItsModeIsRight() throws Exception {
        TlsFiles files = TlsFiles.of(own);
        files.current();
        put("node2.pem", own.certificateFile());
        Files.setPosixFilePermissions(
                Files.copy(certificates.file("node2.key"), own.keyFile(), StandardCopyOption.REPLACE_EXISTING),
                PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(serial(files.current())).isEqualTo(serial("node1.pem"));

        Files.setPosixFilePermissions(own.keyFile(), PosixFilePermissions.fromString("rw-------"));
        assertThat(serial(files.current())).isEqualTo(serial("node2.pem"));
    }

    @Test
    void shouldWarnOnceOfFilesThatCannotBeUsed() throws Exception {
        TlsFiles files = TlsFiles.of(own);
        files.current();
        String log = logOf(() -> {
            for (int lengthBytes = 0; lengthBytes < 100; lengthBytes++) {
                Files.write(own.certificateFile(), new byte[lengthBytes]);
                files.current();
                files.current();
            }
        });

        assertThat(log.lines()).hasSize(1);
        assertThat(log)
                .contains(
                        "WARN",
                        "cannot be used, the old ones stay",
                        own.certificateFile().toString());
    }

    @Test
    void shouldWarnOfEachTimeThatAFileIsAway() throws Exception {
        TlsFiles files = TlsFiles.of(own);
        TlsMaterial first = files.current();
        Path away = directory.resolve("away");
        for (Path file : new Path[] {own.certificateFile(), own.keyFile(), own.authorityFile()}) {
            String log = logOf(() -> {
                Files.move(file, away);
                assertThat(files.current()).isSameAs(first);
                assertThat(files.current()).isSameAs(first);
                Files.move(away, file);
                assertThat(files.current()).isSameAs(first);
            });

            assertThat(log.lines()).hasSize(1);
            assertThat(log).contains("WARN", "cannot be used, the old ones stay", file.toString());
        }
    }

    @Test
    void shouldKeepACertificateThatIsValidWhenTheNewOneIsNot() throws Exception {
        certificates.issue("past", "IP:127.0.0.1", "20200101000000Z", "20210101000000Z");
        TlsFiles files = TlsFiles.of(own);
        TlsMaterial first = files.current();
        String log = logOf(() -> {
            put("past.key", own.keyFile());
            put("past.pem", own.certificateFile());
            assertThat(files.current()).isSameAs(first);
            assertThat(files.current()).isSameAs(first);
        });

        assertThat(log.lines()).hasSize(1);
        assertThat(log)
                .contains(
                        "WARN",
                        "cannot be used, the old ones stay",
                        "certificate is not valid now",
                        "end=2021-01-01T00:00:00Z",
                        own.certificateFile().toString());
    }

    private interface Step {
        void run() throws Exception;
    }

    /** What is logged meanwhile; the logger of the tests writes to the error stream. */
    private static String logOf(Step step) throws Exception {
        PrintStream original = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            step.run();
        } finally {
            System.setErr(original);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldUseNewFilesForNewConnectionsWhileOpenOnesGoOn() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(config(own));
            net.callWith(config(certificates.of("node3")));
            Connection open = net.connect();

            put("ca-with-list.pem", own.authorityFile());
            assertThatThrownBy(net::connect).hasMessageContaining("code=tls-refused");
            assertThat(net.failure()).hasMessageContaining("certificate has been revoked, subject=CN=node3");
            assertThat(Waiting.result(open.request(ECHO, bytes("x")))).isEqualTo(bytes("x"));

            put("ca.pem", own.authorityFile());
            assertThat(Waiting.result(net.connect().request(ECHO, bytes("y")))).isEqualTo(bytes("y"));
            assertThat(Waiting.result(open.request(ECHO, bytes("z")))).isEqualTo(bytes("z"));
        }
    }

    private static NetConfig config(TlsConfig tls) throws IOException {
        UUID nodeId = tls.nodeId().orElseThrow();
        return NetConfig.of(
                        new NodeIdentity(nodeId, "a", Map.of()), Optional.<SharedToken>empty(), new VersionRange(1, 3))
                .withTimeouts(NetFixture.TIMEOUTS)
                .withTls(tls);
    }

    @Test
    void shouldRefuseAKeyThatOthersMayRead() throws Exception {
        Files.setPosixFilePermissions(own.keyFile(), PosixFilePermissions.fromString("rw-r-----"));

        assertUnfit("private key file must have mode 0600 (chmod 600), permissions=rw-r-----", own.keyFile());
    }

    @Test
    void shouldSayWhatToDoWithKeysOfAnotherForm() throws Exception {
        certificates.run("openssl genrsa -traditional -out pkcs1.key 2048");
        certificates.run("openssl ecparam -name prime256v1 -genkey -noout -out sec1.key");
        certificates.run("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass pass:secret"
                + " -out encrypted.key");
        certificates.run("openssl genrsa -traditional -aes256 -passout pass:secret -out encrypted1.key 2048");
        put("pkcs1.key", own.keyFile());
        assertUnfit("openssl pkcs8 -topk8 -nocrypt", own.keyFile());
        put("sec1.key", own.keyFile());
        assertUnfit("openssl pkcs8 -topk8 -nocrypt", own.keyFile());
        put("encrypted.key", own.keyFile());
        assertUnfit("private key is encrypted", own.keyFile());
        put("encrypted1.key", own.keyFile());
        assertUnfit("openssl pkcs8 -topk8 -nocrypt", own.keyFile());
        put("node1.pem", own.keyFile());
        Files.setPosixFilePermissions(own.keyFile(), PosixFilePermissions.fromString("rw-------"));
        assertUnfit("file holds no private key, found=CERTIFICATE", own.keyFile());
    }

    @Test
    void shouldRefuseAKeyOfAnotherCertificate() throws Exception {
        put("node2.key", own.keyFile());

        assertUnfit("certificate and private key do not belong together", own.certificateFile());
    }

    @Test
    void shouldRefuseAListThatTheAuthorityDidNotSign() throws Exception {
        Certificates others = Certificates.make(shared.resolve("others"));
        others.revokeTheThird();
        Files.write(own.authorityFile(), Files.readAllBytes(others.file("crl.pem")), StandardOpenOption.APPEND);

        assertUnfit("not signed by an authority of this file", own.authorityFile());
    }

    /** Whoever can hold back new lists must not win by it. */
    @Test
    void shouldStillCountAListThatIsPastItsTime() throws Exception {
        certificates.run("openssl ca -config ca.cnf -cert ca.pem -keyfile ca.key -gencrl -crlsec 1 -out short.pem"
                + " && cat ca.pem short.pem > ca-with-short.pem && sleep 2");
        put("ca-with-short.pem", own.authorityFile());
        try (NetFixture net = new NetFixture()) {
            String log = logOf(() -> {
                net.serve(config(own));
                net.callWith(config(certificates.of("node2")));
                net.connect().close();
                net.connect().close();
            });
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("past its time"))
                    .hasSize(1);
            net.client.close();
            net.callWith(config(certificates.of("node3")));

            assertThatThrownBy(net::connect).hasMessageContaining("code=tls-refused");
            assertThat(net.failure()).hasMessageContaining("certificate has been revoked");
        }
    }

    private void assertUnfit(String reason, Path file) {
        assertThatThrownBy(() -> TlsMaterial.load(own))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining(reason)
                .hasMessageStartingWith(file.toString());
    }
}
