package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.Environment;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
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
        Matcher line = Pattern.compile("(?m)^" + name + "\\{store=\"[^\"]+\",table=\"ks.readings\"} (-?\\d+)$")
                .matcher(text());
        assertThat(line.find()).isTrue();
        return Long.parseLong(line.group(1));
    }

    private String text(String... more) throws Exception {
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
        args.addAll(List.of(more));
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
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(address.group(1))).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
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

    @Test
    void shouldShowTotalsAndTheTablesThatAreChosen() throws Exception {
        store("one");
        assertThat(text("--metrics-tables", "0"))
                .contains("anneal_tables_sstables{")
                .doesNotContain("anneal_table_", "anneal_shard_");
        assertThat(text("--metrics-tables", "ks.other", "--metrics-tables", "ks.*"))
                .contains("anneal_tables_sstables{", "anneal_table_sstables{");
        assertThat(text()).contains("anneal_table_sstables{");
    }

    @Test
    void shouldWarnOfATableThatIsNotThere() throws Exception {
        store("one");
        Path token = Files.writeString(directory.resolve("token"), "a secret that is long enough to be one");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun run = CommandRun.inTime(
                    "serve",
                    "--listen=127.0.0.1:" + busy.getLocalPort(),
                    "--metrics=127.0.0.1:0",
                    "--metrics-tables=ks.reading",
                    "--metrics-tables=ks.*",
                    "--data",
                    directory.resolve("one"),
                    "--token-file",
                    token);
            assertThat(run.err().lines().filter(line -> line.startsWith("warning: ")))
                    .singleElement()
                    .asString()
                    .contains("--metrics-tables names no table that is here now, table=ks.reading,");
        }
    }

    @Test
    void shouldRefuseAChoiceThatIsNone() throws Exception {
        store("one");
        Path token = Files.writeString(directory.resolve("token"), "a secret that is long enough to be one");
        for (String[] choice : new String[][] {
            {"orders", "'orders' is no table, as KS.TABLE or KS.*"},
            {"-1", "'-1' is no table"},
            {"all", "--metrics-tables goes with --metrics"}
        }) {
            CommandRun run = CommandRun.of(
                    "serve",
                    "--listen=127.0.0.1:0",
                    "--data",
                    directory.resolve("one"),
                    "--token-file",
                    token,
                    "--metrics-tables=" + choice[0]);
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains(choice[1]);
        }
    }
}
