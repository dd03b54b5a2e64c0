package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lines of {@code docs/operate.md}, "Repair between servers" and "Certificates", as they stand there but for addresses and
 * directories: three servers on three addresses of this machine.
 */
class CertificatesPageTest {
    private static final Path PAGE = Path.of("../docs/operate.md");
    private static final int NODES = 3;
    private static final int ROWS = 20_000;
    private static final int VALUE_BYTES = 1_000;
    private static final int LOG_POLLS_MAX = 500;
    private static final long LOG_POLL_MS = 20;
    private static final long DEADLINE_MS = 120_000;

    @TempDir
    private static Path made;

    /** What the servers use; replaced by the tests. */
    @TempDir
    private Path directory;

    private final List<Commands.Server> servers = new ArrayList<>();

    @BeforeAll
    static void makeCertificates() throws Exception {
        for (String round : List.of("first", "second")) {
            Path names = made.resolve("first/node1.names");
            Files.createDirectories(made.resolve(round));
            for (int n = 1; n <= 3 && Files.exists(names); n++) {
                // A node keeps its id.
                Files.copy(names.resolveSibling("node" + n + ".names"), made.resolve(round + "/node" + n + ".names"));
            }
            shell(made.resolve(round), block("openssl req -x509 -newkey"));
        }
    }

    private static String section() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(page.indexOf("## Repair between servers"), page.indexOf("## Look after a store"))
                .replace("10.0.0.", "127.0.0.");
    }

    private static String block(String start) throws IOException {
        String section = section();
        int at = section.indexOf("```\n" + start);
        assertThat(at).as("a block that starts with " + start).isNotNegative();
        return section.substring(at + 4, section.indexOf("\n```", at));
    }

    private static void shell(Path directory, String lines) throws Exception {
        Path log = directory.resolve("shell.log");
        Process shell = new ProcessBuilder("sh", "-eu", "-c", lines)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(shell.waitFor(DEADLINE_MS, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(shell.exitValue())
                .as("needs OpenSSL 3: %s\n%s", lines, Files.readString(log, StandardCharsets.UTF_8))
                .isZero();
    }

    /** As {@code mv}, so that no file is ever half there. */
    private void install(String round) throws IOException {
        try (Stream<Path> files = Files.list(made.resolve(round))) {
            for (Path file : files.toList()) {
                replace(file, file.getFileName().toString());
            }
        }
    }

    private void replace(Path file, String name) throws IOException {
        Path copy = Files.copy(file, directory.resolve("new"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(copy, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** A line of the page for one of the nodes. */
    private List<String> words(String start, int node) throws IOException {
        List<String> words = new ArrayList<>();
        for (String word : block(start).substring("anneal ".length()).split(" ")) {
            String ofNode = word.replace("node1", "node" + node).replace("127.0.0.1", "127.0.0." + node);
            words.add(
                    ofNode.endsWith(".pem") || ofNode.endsWith(".key")
                            ? directory.resolve(ofNode).toString()
                            : ofNode);
        }
        return words;
    }

    private void serve(int node, Path data) throws IOException {
        List<String> words = words("anneal serve", node);
        words.remove("serve");
        words.replaceAll(word -> switch (word) {
            case "SNAPSHOT" -> data.toString();
            case "/var/lib/anneal/staging" -> staging(node).toString();
            default -> word.replace(":7400", ":0");
        });
        servers.add(Commands.Server.start(directory.resolve("server-" + node + ".log"), words.toArray(String[]::new)));
        assertThat(servers.get(servers.size() - 1).address()).startsWith("127.0.0." + node + ":");
    }

    private Path staging(int node) {
        return directory.resolve("staging-" + node);
    }

    private Commands.Result repair(int node, String... more) throws IOException {
        List<String> words = words("anneal repair", 1);
        words.replaceAll(word -> word.replace("shop.orders", "ks.t").replace("node1.", "node" + node + "."));
        for (int i = 0; i < NODES; i++) {
            String address = "127.0.0." + (i + 1) + ":7400";
            assertThat(words).contains(address);
            words.set(words.indexOf(address), servers.get(i).address());
        }
        words.add("--json");
        words.addAll(List.of(more));
        return Commands.run(words.toArray(String[]::new));
    }

    private void serveAll(int rows) throws IOException {
        install("first");
        for (int node = 1; node <= NODES; node++) {
            int own = node;
            // The second lacks nearly everything, so that it is busy writing for a while.
            Path data = ReplicaFiles.write(
                    directory.resolve("data-" + node), rows, VALUE_BYTES, k -> own != 2 || k % 100 == 0);
            serve(node, data);
        }
    }

    /** The peer hears of a refusal before the server has logged it. */
    private static String logged(Path log, String text) throws IOException, InterruptedException {
        String content = Files.readString(log);
        for (int i = 0; i < LOG_POLLS_MAX && !content.contains(text); i++) {
            Thread.sleep(LOG_POLL_MS);
            content = Files.readString(log);
        }
        return content;
    }

    private void stop() {
        servers.forEach(Commands.Server::close);
    }

    @Test
    void shouldFinishARepairUnderWhichAllCertificatesChange() throws Exception {
        try {
            serveAll(ROWS);
            CompletableFuture<Commands.Result> repair = CompletableFuture.supplyAsync(() -> {
                try {
                    return repair(1);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            awaitUnfinishedRows(staging(2), repair);
            // Held, so that the change comes in the middle.
            signal("-STOP", servers.get(1).pid());
            assertThat(repair).isNotDone();
            install("second");
            signal("-CONT", servers.get(1).pid());

            Commands.Result repaired = repair.get(DEADLINE_MS, TimeUnit.MILLISECONDS);
            assertThat(repaired.exitCode()).as(repaired.err()).isZero();

            // All have the new authority only now, and go on without a restart.
            String run = new ObjectMapper()
                    .readTree(repaired.out())
                    .at("/tables/0/run")
                    .asText();
            Commands.Result again = repair(3, "--dry-run", "--staged", run);
            assertThat(again.out()).as(again.err()).contains("\"were-equal\":true");
            replace(made.resolve("first/node1.pem"), "node9.pem");
            replace(made.resolve("first/node1.key"), "node9.key");
            Commands.Result old = repair(9, "--dry-run");
            assertThat(old.exitCode()).isEqualTo(5);
            assertThat(old.err().lines()).hasSize(1);
            assertThat(old.err()).contains("ANL-3001", "code=tls-refused");
            String reason = "certificate is not signed by an authority that this side knows";
            assertThat(logged(directory.resolve("server-1.log"), reason))
                    .contains(reason)
                    .doesNotContain("\tat ");
        } finally {
            stop();
        }
    }

    @Test
    void shouldRefuseTheNodeThatThePageRevokes() throws Exception {
        try {
            serveAll(200);
            assertThat(repair(3, "--dry-run").exitCode()).isEqualTo(1);

            shell(directory, block("printf '[ca]"));
            Files.move(
                    directory.resolve("ca-with-list.pem"), directory.resolve("ca.pem"), StandardCopyOption.ATOMIC_MOVE);
            Commands.Result revoked = repair(3, "--dry-run");
            assertThat(revoked.exitCode()).isEqualTo(5);
            assertThat(revoked.err()).contains("code=tls-refused", "subject=CN=node3");
            Commands.Result asServer = repair(1, "--dry-run");
            assertThat(asServer.exitCode()).isEqualTo(5);
            assertThat(asServer.err()).contains("certificate has been revoked, subject=CN=node3");
            assertThat(asServer.err().lines()).hasSize(1);
        } finally {
            stop();
        }
    }

    @Test
    void shouldRefuseACommandLineWithHalfOfTheCertificates() throws Exception {
        String[][] halves = {
            {"--tls-cert", "a.pem", "--tls-key", "a.key"},
            {"--tls-ca", "ca.pem", "--token-file", "token"},
            {}
        };
        for (String[] half : halves) {
            for (List<String> command : List.of(
                    List.of("serve", "--data", ".", "--listen", "127.0.0.1:0"),
                    List.of(
                            "repair",
                            "--table",
                            "ks.t",
                            "--full-replicas",
                            "--replica",
                            "127.0.0.1:1",
                            "--replica",
                            "127.0.0.1:2"),
                    List.of("explain", "ks.t", "1", "--schema", "x.cql", "--replica", "127.0.0.1:1"))) {
                List<String> words = new ArrayList<>(command);
                words.addAll(List.of(half));
                Commands.Result refused = Commands.run(words.toArray(String[]::new));
                assertThat(refused.exitCode()).as(words + refused.err()).isEqualTo(2);
                assertThat(refused.err()).contains("--tls-cert, --tls-key and --tls-ca");
            }
        }
    }

    private static void awaitUnfinishedRows(Path staging, CompletableFuture<Commands.Result> repair) throws Exception {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
        while (!hasUnfinishedRows(staging)) {
            assertThat(repair).as("the repair ended before").isNotDone();
            assertThat(System.nanoTime()).isLessThan(deadlineNanos);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static boolean hasUnfinishedRows(Path staging) throws IOException {
        if (!Files.exists(staging)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(staging)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.startsWith(".anneal-staged") && name.contains("-Data.db") && Files.size(file) > 0) {
                    return true;
                }
            }
        } catch (NoSuchFileException | UncheckedIOException moved) {
            return false;
        }
        return false;
    }

    private static void signal(String name, long pid) throws Exception {
        Process kill = new ProcessBuilder("kill", name, Long.toString(pid)).start();
        assertThat(kill.waitFor()).isZero();
    }
}
