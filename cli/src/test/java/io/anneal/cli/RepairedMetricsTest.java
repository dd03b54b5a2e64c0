package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.Environment;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store that is served tells a Prometheus when it was last repaired, and how long that may be ago. */
@Timeout(60)
final class RepairedMetricsTest {
    @TempDir
    private Path directory;

    private Path store(String name) throws IOException {
        Path store = directory.resolve(name);
        try (Store open = Store.open(store, Tables.STORE)) {
            Table table = open.createTable(Tables.TEXT_WITH_ID);
            table.row().key("id", 7).clustering("at", 1).set("name", name).insert();
        }
        return store;
    }

    private void repair(String range) {
        CommandRun run = CommandRun.inTime(
                "repair",
                "--dir",
                directory.resolve("one"),
                "--dir",
                directory.resolve("two"),
                "--table",
                "ks.readings",
                "--range=" + range,
                "--all-replicas",
                "--apply");
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** What a server of the first store shows: of each name without labels the number. */
    private long shown(String name) throws Exception {
        Path token = directory.resolve("token");
        if (!Files.exists(token)) {
            Files.writeString(token, "a secret that is long enough to be one");
            Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
        Environment environment =
                new Environment(printed, printed, Clock.systemUTC(), System::nanoTime, false, CommandRun.HOME);
        List<String> args = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"));
        args.addAll(List.of("--data", directory.resolve("one").toString(), "--token-file", token.toString()));
        String[] words = args.toArray(String[]::new);
        Thread server = new Thread(() -> AnnealCommand.commandLine(environment).execute(words), "served-store");
        server.start();
        try {
            Matcher address = Pattern.compile("metrics at (\\S+)\\s").matcher("");
            while (!address.reset(out.toString(StandardCharsets.UTF_8)).find()) {
                assertThat(server.isAlive())
                        .as(out.toString(StandardCharsets.UTF_8))
                        .isTrue();
                TimeUnit.MILLISECONDS.sleep(5);
            }
            String text = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(address.group(1))).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            Matcher line = Pattern.compile("(?m)^" + name + "\\{store=\"[^\"]+\",table=\"ks.readings\"} (-?\\d+)$")
                    .matcher(text);
            assertThat(line.find()).as(text).isTrue();
            return Long.parseLong(line.group(1));
        } finally {
            server.interrupt();
            server.join();
        }
    }

    @Test
    void shouldShowWhenTheWholeRingWasLastRepaired() throws Exception {
        store("one");
        store("two");
        assertThat(shown("anneal_table_gc_grace_seconds")).isEqualTo(864_000);
        assertThat(shown("anneal_table_repaired_seconds")).isZero();

        long before = Instant.now().getEpochSecond();
        repair("(0,9223372036854775807]");
        assertThat(shown("anneal_table_ring_repaired_seconds")).isZero();
        assertThat(shown("anneal_table_repaired_seconds")).isBetween(before, before + 60);
        repair("(9223372036854775807,0]");
        assertThat(shown("anneal_table_ring_repaired_seconds")).isBetween(before, before + 60);
    }
}
