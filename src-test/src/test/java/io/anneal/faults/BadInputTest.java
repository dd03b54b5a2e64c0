package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a stranger gets wrong, or a disk does: one clear line, exit 1, and nothing written. */
class BadInputTest {
    @TempDir
    private Path directory;

    private Path left;
    private Path right;

    @BeforeEach
    void writeReplicas() throws IOException {
        left = ReplicaFiles.write(directory.resolve("left"), 200, 100, k -> true);
        right = ReplicaFiles.write(directory.resolve("right"), 200, 100, k -> k % 10 != 0);
    }

    private Descriptor descriptor() throws IOException {
        try (var files = Files.list(right)) {
            return files.map(Descriptor::of)
                    .flatMap(found -> found.stream())
                    .findFirst()
                    .orElseThrow();
        }
    }

    private Commands.Result repair(String... more) {
        List<String> arguments = new ArrayList<>(List.of("repair", "--table", "ks.t", "--full-replicas"));
        arguments.addAll(List.of("--dir", left.toString(), "--dir", right.toString()));
        arguments.addAll(List.of(more));
        return Commands.run(arguments.toArray(String[]::new));
    }

    private void assertOneLine(Commands.Result result, String... facts) {
        assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(5);
        assertThat(result.err().lines()).as(result.err()).hasSize(1);
        assertThat(result.err())
                .startsWith("anneal: error ANL-")
                .contains(facts)
                .doesNotContain("\tat ");
    }

    private void assertNothingWritten() throws IOException {
        Path out = directory.resolve("out");
        if (Files.exists(out)) {
            try (var files = Files.walk(out)) {
                assertThat(files.filter(Files::isRegularFile)
                                .filter(file -> !file.getFileName().toString().startsWith(".anneal.")))
                        .isEmpty();
            }
        }
    }

    /** The TOC only lists; Filter, Index and Summary are rebuilt by nobody, but a repair reads all data in order. */
    @ParameterizedTest
    @EnumSource(
            value = Component.class,
            names = {"DATA", "STATISTICS", "COMPRESSION_INFO"})
    void shouldNameTheMissingComponentWhenReplicaIsRepaired(Component component) throws IOException {
        Path file = descriptor().file(component);
        Files.delete(file);
        assertOneLine(
                repair("--apply", "--out", directory.resolve("out").toString()),
                component.fileSuffix(),
                right.getFileName().toString());
        assertNothingWritten();
    }

    @ParameterizedTest
    @EnumSource(
            value = Component.class,
            names = {"CRC", "PARTITIONS", "ROWS"},
            mode = EnumSource.Mode.EXCLUDE)
    void shouldNameTheComponentWhenVerifyFindsItMissing(Component component) throws IOException {
        Descriptor descriptor = descriptor();
        Files.delete(descriptor.file(component));
        Commands.Result result = Commands.run("sstable", "verify", right.toString());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out() + result.err()).contains(component.fileSuffix());
    }

    @ParameterizedTest
    @EnumSource(
            value = Component.class,
            names = {"CRC", "PARTITIONS", "ROWS"},
            mode = EnumSource.Mode.EXCLUDE)
    void shouldNameTheFileWhenAByteOfAComponentIsFlipped(Component component) throws IOException {
        Path file = descriptor().file(component);
        byte[] bytes = Files.readAllBytes(file);
        int at = bytes.length / 2;
        // A filter has no checksum: only a bit that a key needs can be missed.
        while (component == Component.FILTER && bytes[at] == 0) {
            at++;
        }
        bytes[at] ^= component == Component.FILTER ? (byte) (bytes[at] & -bytes[at]) : 0x10;
        Files.write(file, bytes);
        Commands.Result result = Commands.run("sstable", "verify", right.toString());
        assertThat(result.exitCode()).as(result.out()).isEqualTo(1);
        assertThat(result.out().lines().filter(line -> line.startsWith("wrong")))
                .singleElement()
                .asString()
                .contains("ANL-1001")
                .contains("file=");
    }

    @Test
    void shouldNeverPassOnAWrongRowWhenAByteOfDataIsFlipped() throws IOException {
        Path file = descriptor().file(Component.DATA);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 0x01;
        Files.write(file, bytes);
        assertOneLine(
                repair("--apply", "--out", directory.resolve("out").toString()), "Data.db", "position=", "ANL-1001");
        assertNothingWritten();
    }

    @Test
    void shouldNameVersionAndRangeWhenVersionIsUnknown() throws IOException {
        Descriptor known = descriptor();
        for (Component component : Component.values()) {
            if (known.has(component)) {
                Files.move(known.file(component), right.resolve("zz-1-big-" + component.fileSuffix()));
            }
        }
        assertOneLine(repair(), "ANL-1002", "found=zz", "oldest=ma", "newest=da");
    }

    @Test
    void shouldSayWhatDiffersWhenSchemasDoNotMatch() throws IOException {
        Files.writeString(
                right.resolve("schema.cql"),
                ReplicaFiles.SCHEMA_TEXT.replace("gc_grace_seconds = 864000", "gc_grace_seconds = 5"));
        assertOneLine(repair(), "schema differs", "right", "gc_grace");
    }

    @Test
    void shouldNameBothIdsWhenTheTableWasMadeAgain() throws IOException {
        String withId =
                ReplicaFiles.SCHEMA_TEXT.replace("WITH ", "WITH ID = 2e52ce90-e54c-11f1-9953-9ddbc8d5a59d AND ");
        Files.writeString(left.resolve("schema.cql"), withId);
        Files.writeString(right.resolve("schema.cql"), withId.replace("2e52ce90", "2e6ce640"));
        assertOneLine(repair(), "table ids differ", "2e52ce90", "2e6ce640");
    }

    @Test
    void shouldAskForSchemaTextWhenThereIsNone() throws IOException {
        Files.delete(right.resolve("schema.cql"));
        assertOneLine(repair(), "--schema FILE.cql");
    }

    @Test
    void shouldStopWhenOneReplicaHoldsNothing() throws IOException {
        left = ReplicaFiles.write(directory.resolve("much"), 2_000, 10, k -> true);
        right = ReplicaFiles.write(directory.resolve("nothing"), 2_000, 10, k -> false);
        Commands.Result refused =
                repair("--apply", "--out", directory.resolve("out").toString());
        assertOneLine(refused, "--allow-empty", "nothing");
        assertNothingWritten();
        Commands.Result allowed =
                repair("--apply", "--out", directory.resolve("out").toString(), "--allow-empty");
        assertThat(allowed.exitCode()).as(allowed.err()).isZero();
    }

    @Test
    void shouldSayThatRangeAndFullReplicasExcludeEachOther() {
        assertThat(repair("--range=(0,1]").err()).contains("--range and --full-replicas exclude each other");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "repair --table ks.t --dir a --dir b",
                "repair --table ks.t --full-replicas --dir a",
                "repair --table ks.t --full-replicas --dir a --replica 127.0.0.1:1",
                "repair --table t --full-replicas --dir a --dir b",
                "repair --table ks.t --range=1 --dir a --dir b",
                "repair --table ks.t --full-replicas --dir a --dir b --apply",
                "serve --data a --listen 127.0.0.1:0"
            })
    void shouldExitWithTwoWhenTheCommandLineIsWrong(String commandLine) {
        Commands.Result result = Commands.run(commandLine.split(" "));
        assertThat(result.exitCode()).as(result.err()).isEqualTo(2);
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.err()).startsWith("anneal: error ANL-4001");
    }

    @Test
    void shouldNameTheAddressWhenAPortDoesNotAnswer() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertOneLine(repairOver("127.0.0.1:" + port), "ANL-3001", "127.0.0.1:" + port);
    }

    @Test
    void shouldSayThatAPeerSpeaksSomethingElse() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answer(web), "web");
            answering.start();
            assertOneLine(repairOver("127.0.0.1:" + web.getLocalPort()), "ANL-3001", "does not speak");
            answering.join();
        }
    }

    private static void answer(ServerSocket web) {
        try (Socket socket = web.accept()) {
            socket.getOutputStream()
                    .write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldRefuseToListenBeyondLoopback() throws IOException {
        Path token = Commands.tokenFile(directory);
        Commands.Result result = Commands.run(
                "serve", "--data", left.toString(), "--listen", "0.0.0.0:0", "--token-file", token.toString());
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("--tls-cert").contains("0.0.0.0");
    }

    @Test
    void shouldNameTheServerThatCannotReceiveWhenItHasNoStaging() throws IOException {
        Path token = Commands.tokenFile(directory);
        try (Commands.Server readOnly = Commands.Server.start(
                        directory.resolve("a.log"), "--data", left.toString(), "--token-file", token.toString());
                Commands.Server other = Commands.Server.start(
                        directory.resolve("b.log"), "--data", right.toString(), "--token-file", token.toString())) {
            String[] arguments = {
                "repair",
                "--table",
                "ks.t",
                "--full-replicas",
                "--token-file",
                token.toString(),
                "--replica",
                readOnly.address(),
                "--replica",
                other.address(),
                "--dry-run"
            };
            Commands.Result compared = Commands.run(arguments);
            assertThat(compared.exitCode()).as(compared.err()).isEqualTo(1);
            assertThat(compared.out()).contains("20 rows").contains("dry run");
            arguments[arguments.length - 1] = "--allow-empty";
            assertOneLine(Commands.run(arguments), "read-only", readOnly.address());
        }
    }

    private Commands.Result repairOver(String address) throws IOException {
        Path token = Commands.tokenFile(directory);
        return Commands.run(
                "repair",
                "--table",
                "ks.t",
                "--full-replicas",
                "--token-file",
                token.toString(),
                "--replica",
                address,
                "--replica",
                "127.0.0.1:9");
    }
}
