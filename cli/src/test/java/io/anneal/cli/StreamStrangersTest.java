package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.NetConfig;
import io.anneal.net.PeerAddress;
import io.anneal.net.TlsConfig;
import io.anneal.net.TokenFile;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A side of streaming whose certificate is not one that the others take, or that has none: refused with a line on both sides, once
 * however many tables and ranges there are, and nothing is received.
 */
@Timeout(120)
final class StreamStrangersTest {
    private static final String SCHEMA =
            "CREATE TABLE ks.t%d (k int PRIMARY KEY, v text)" + " WITH id = 11111111-2222-3333-4444-55555555555%d";
    private static final int TABLES = 2;
    /** More than there are nodes, so that no source is asked first. */
    private static final int RANGES = 8;
    /** Of the other authority. */
    private static final String STRANGER = "theirs";

    private static final String EXPIRED = "past";
    private static final String NONE = "";

    @TempDir
    private static Path made;

    @TempDir
    private Path directory;

    private Store from;
    private Store to;

    /** An authority of ours and one of theirs; both of them know both, so that it is the node that refuses. */
    @BeforeAll
    static void makeCertificates() throws Exception {
        String lines = """
                key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc'
                for ca in ca ca2; do
                    openssl req -x509 $key -days 3650 -subj /CN=$ca -addext keyUsage=critical,keyCertSign,cRLSign \
                -keyout $ca.key -out $ca.pem
                done
                cat ca.pem ca2.pem > both.pem
                printf '[ca]\\ndefault_ca = a\\n[a]\\ndatabase = issued.txt\\nnew_certs_dir = .\\nrand_serial = yes\\n\
                default_md = sha256\\npolicy = p\\nunique_subject = no\\nx509_extensions = x\\n[p]\\ncommonName = supplied\\n\
                [x]\\nbasicConstraints = critical,CA:FALSE\\nsubjectAltName = IP:127.0.0.1\\n' > issue.cnf
                : > issued.txt
                issue() {
                    openssl req -new $key -subj /CN=$1 -keyout $1.key -out $1.csr
                    openssl ca -config issue.cnf -batch -notext -cert $2.pem -keyfile $2.key -in $1.csr -out $1.pem \
                -startdate 20200101000000Z -enddate $3
                }
                issue ours ca 20900101000000Z
                issue theirs ca2 20900101000000Z
                issue past ca 20210101000000Z
                """;
        Process shell = new ProcessBuilder("sh", "-eu", "-c", lines)
                .directory(made.toFile())
                .redirectErrorStream(true)
                .redirectOutput(made.resolve("openssl.log").toFile())
                .start();
        assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(shell.exitValue())
                .as("needs OpenSSL 3: %s", Files.readString(made.resolve("openssl.log")))
                .isZero();
        Path token = Files.writeString(made.resolve("token"), "a secret that is long enough to be one");
        token.toFile().setReadable(false, false);
        token.toFile().setReadable(true, true);
        token.toFile().setWritable(false, false);
        token.toFile().setWritable(true, true);
    }

    @BeforeEach
    void openStores() throws IOException {
        from = Store.open(directory.resolve("from"));
        to = Store.open(directory.resolve("to"));
        for (int i = 0; i < TABLES; i++) {
            to.createTable(String.format(SCHEMA, i, i));
            Table table = from.createTable(String.format(SCHEMA, i, i));
            table.row().key("k", 1).set("v", "v").insert();
            table.flush();
        }
    }

    @AfterEach
    void closeStores() throws IOException {
        from.close();
        to.close();
    }

    private static CommandNode serve(int number, Store store, String certificate, String authority) throws IOException {
        boolean isPlain = certificate.isEmpty();
        NetConfig config = CommandNode.config(
                new UUID(1, number),
                isPlain ? Optional.of(TokenFile.read(made.resolve("token"))) : Optional.empty(),
                ByteBudget.of(64 << 20));
        return CommandNode.serve(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new StoreReplicas(store),
                isPlain
                        ? config
                        : config.withTls(new TlsConfig(
                                made.resolve(certificate + ".pem"),
                                made.resolve(certificate + ".key"),
                                made.resolve(authority + ".pem"))),
                HostEnvironment.system());
    }

    /** What the command said, and what both servers logged until they were closed. */
    private record Refused(CommandRun run, List<String> logged) {}

    /** Streams with certificates for the command, the source and the target. */
    private Refused stream(String command, String source, String target, String targetAuthority) throws IOException {
        PrintStream usual = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        CommandRun run;
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try (CommandNode n1 = serve(1, from, source, "both");
                CommandNode n2 = serve(2, to, target, targetAuthority)) {
            List<Object> args = new ArrayList<>(List.of("stream", "transfer"));
            args.addAll(List.of("--from", "n1=" + PeerAddress.text(n1.address())));
            args.addAll(List.of("--to", "n2=" + PeerAddress.text(n2.address())));
            for (int i = 0; i < TABLES; i++) {
                args.addAll(List.of("--table", "ks.t" + i));
            }
            args.addAll(List.of("--ring", ring(), "--parallel", "1"));
            if (command.isEmpty()) {
                args.addAll(List.of("--token-file", made.resolve("token")));
            } else {
                args.addAll(Arrays.asList(
                        "--tls-cert",
                        made.resolve(command + ".pem"),
                        "--tls-key",
                        made.resolve(command + ".key"),
                        "--tls-ca",
                        made.resolve("both.pem")));
            }
            run = CommandRun.inTime(args.toArray());
        } finally {
            System.setErr(usual);
        }
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        for (int i = 0; i < TABLES; i++) {
            assertThat(to.table("ks.t" + i).sstableCount()).isZero();
        }
        try (Stream<Path> files = Files.walk(directory.resolve("to"))) {
            assertThat(files.filter(file -> file.toString().contains("/receiving/")))
                    .isEmpty();
        }
        return new Refused(
                run,
                log.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.contains(" WARN ") || line.contains(" ERROR ") || line.contains("\tat "))
                        .toList());
    }

    private Path ring() throws IOException {
        StringBuilder text = new StringBuilder();
        for (long i = 0; i < RANGES; i++) {
            text.append("TokenRange(start_token:" + i * 1000 + ", end_token:" + (i + 1) % RANGES * 1000)
                    .append(", endpoints:[n1, n2], rpc_endpoints:[])\n");
        }
        return Files.writeString(directory.resolve("ring"), text);
    }

    /** The command gets no further than the target. */
    private static void assertCommandRefused(Refused refused, String code, String reason) {
        assertThat(refused.run().err().lines())
                .singleElement()
                .asString()
                .startsWith("anneal: error ANL-3001: ")
                .contains("code=" + code);
        assertThat(refused.logged())
                .as("%s", refused.logged())
                .singleElement()
                .asString()
                .contains(reason);
    }

    @Test
    void shouldRefuseACommandOfAnotherAuthority() throws IOException {
        assertCommandRefused(
                stream(STRANGER, "ours", "ours", "ca"),
                "tls-refused",
                "certificate is not signed by an authority that this side knows");
    }

    @Test
    void shouldRefuseACommandWithoutACertificate() throws IOException {
        assertCommandRefused(stream(NONE, "ours", "ours", "ca"), "tls-expected", "tls-expected");
    }

    /** The target learns it, for each table, and tells the command; the source logs what TLS tells it. */
    private static void assertSourceRefused(Refused refused, String... reasons) {
        assertThat(refused.run().err().lines()).as(refused.run().err()).hasSize(1);
        assertThat(refused.run().err()).startsWith("anneal: error ANL-3001: ").contains(reasons);
        List<String> runs = refused.logged().stream()
                .filter(line -> line.contains("run failed"))
                .toList();
        assertThat(runs).as("%s", refused.logged()).hasSize(TABLES);
        assertThat(refused.logged())
                .filteredOn(line -> !runs.contains(line) && !line.contains("own certificate is not valid now"))
                .as("%s", refused.logged())
                .hasSize(1);
    }

    @Test
    void shouldRefuseASourceOfAnotherAuthority() throws IOException {
        assertSourceRefused(
                stream("ours", STRANGER, "ours", "ca"),
                "certificate is not signed by an authority that this side knows",
                "code=tls-refused",
                "target=");
    }

    @Test
    void shouldRefuseASourceWhoseCertificateIsPast() throws IOException {
        assertSourceRefused(stream("ours", EXPIRED, "ours", "ca"), "expired", "code=tls-refused");
    }

    @Test
    void shouldRefuseASourceThatSpeaksInTheClear() throws IOException {
        assertSourceRefused(stream("ours", NONE, "ours", "ca"), "code=not-tls", "target=");
    }

    @Test
    void shouldRefuseASourceThatTakesNoneButTls() throws IOException {
        assertSourceRefused(stream(NONE, "ours", NONE, NONE), "code=tls-expected", "target=");
    }
}
