package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal repair --table 'KS.*'} and {@code --sample} between servers: as over the directories that they serve. */
@Timeout(60)
final class RepairOverServersTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ROWS = 200;

    @TempDir
    private Path directory;

    private final List<Thread> servers = new ArrayList<>();
    private final List<Object> replicas = new ArrayList<>();
    private Path one;
    private Path two;
    private Path token;

    @BeforeEach
    void setUp() throws IOException {
        one = directory.resolve("one");
        two = directory.resolve("two");
        token = Files.writeString(directory.resolve("token"), "a secret that is long enough to be one");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        table(one, "readings", 1);
        table(two, "readings", 7);
        table(one, "both", 1);
        table(two, "both", 1);
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (Thread server : servers) {
            server.interrupt();
            server.join();
        }
    }

    /** Rows of which each so-manieth is another one; all are of one version with 1. */
    private static void table(Path replica, String name, int other) throws IOException {
        String text = Tables.TEXT.replace("readings", name);
        Tables.write(replica, Tables.schema(text), text, writer -> {
            for (int id = 0; id < ROWS; id++) {
                writer.row()
                        .key("id", id)
                        .clustering("at", 1)
                        .set("name", other > 1 && id % other == 0 ? "b" : "a")
                        .insert();
            }
        });
    }

    private void serve(Path data, String... more) throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
        Environment environment =
                new Environment(printed, printed, Clock.systemUTC(), System::nanoTime, false, CommandRun.HOME);
        List<String> args = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        args.addAll(List.of("--data", data.toString(), "--token-file", token.toString()));
        args.addAll(List.of(more));
        String[] words = args.toArray(String[]::new);
        Thread server = new Thread(() -> AnnealCommand.commandLine(environment).execute(words), "server of " + data);
        servers.add(server);
        server.start();
        Matcher address = Pattern.compile("listening on (\\S+)\\s").matcher("");
        while (!address.reset(out.toString(StandardCharsets.UTF_8)).find()) {
            assertThat(server.isAlive())
                    .as(out.toString(StandardCharsets.UTF_8))
                    .isTrue();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        replicas.addAll(List.of("--replica", address.group(1)));
    }

    private CommandRun compare(String table, Object... more) {
        List<Object> args = new ArrayList<>(List.of("repair", "--full-replicas", "--dry-run", "--table", table));
        args.addAll(List.of(more));
        return CommandRun.inTime(args.toArray());
    }

    private CommandRun overServers(String table, Object... more) {
        List<Object> args = new ArrayList<>(replicas);
        args.addAll(List.of("--token-file", token));
        args.addAll(List.of(more));
        return compare(table, args.toArray());
    }

    @Test
    void shouldTryEveryTableThatAnyServerHas() throws Exception {
        table(one, "first_only", 1);
        table(two, "second_only", 1);
        serve(one);
        serve(two);

        CommandRun run = overServers("ks.*");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run.out()).contains("ks.readings: the replicas differ", "ks.both: the replicas are equal");
        assertThat(run.err().lines().filter(line -> line.contains("error")))
                .hasSize(2)
                .anyMatch(line -> line.contains("no such table here") && line.contains("ks.first_only"))
                .anyMatch(line -> line.contains("no such table here") && line.contains("ks.second_only"));
        CommandRun none = overServers("nope.*");
        assertThat(none.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(none.err())
                .contains("no such table here, table=nope.*", replicas.get(1).toString());
    }

    @Test
    void shouldTakeTheTablesThatServersOffer() throws Exception {
        serve(one, "--allow-table", "ks.both");
        serve(two, "--allow-table", "ks.both", "--allow-table", "other.*");

        CommandRun run = overServers("ks.*");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("ks.both: the replicas are equal").doesNotContain("ks.readings");
    }

    @Test
    void shouldSampleAKeyspaceAsOverDirectories() throws Exception {
        serve(one);
        serve(two);

        CommandRun run = overServers("ks.*", "--sample", "40%", "--seed", "5", "--json");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.NO);
        JsonNode servers = JSON.readTree(run.out());
        JsonNode directories =
                JSON.readTree(compare("ks.*", "--dir", one, "--dir", two, "--sample", "40%", "--seed", "5", "--json")
                        .out());
        assertThat(servers.at("/sample/rows-differing").asInt()).isPositive();
        assertThat(servers.at("/sample/rows").asInt()).isLessThan(2 * ROWS);
        assertThat(servers.get("tables")).hasSize(2);
        assertThat(servers.findValues("sample")).isEqualTo(directories.findValues("sample"));
    }

    /** Both own a half of the ring; of the other half there is but one. */
    @Test
    void shouldSampleByTheRingAsOverDirectories() throws Exception {
        serve(one);
        serve(two);
        Path ring = Files.writeString(directory.resolve("ring"), """
                TokenRange(start_token:-9223372036854775808, end_token:0, endpoints:[10.0.0.1:7000, 10.0.0.2:7000], x)
                TokenRange(start_token:0, end_token:-9223372036854775808, endpoints:[10.0.0.2:7000, 10.0.0.3:7000], x)
                """);
        List<Object> sampled = List.of("--ring", ring, "--sample", "40%", "--seed", "5", "--json");
        List<Object> named = List.of("--name", "10.0.0.1", "--name", "10.0.0.2", "--dry-run", "--table", "ks.readings");
        List<Object> servers = new ArrayList<>(List.of("repair", "--token-file", token));
        List<Object> directories = new ArrayList<>(List.of("repair", "--dir", one, "--dir", two));
        servers.addAll(replicas);
        for (List<Object> words : List.of(servers, directories)) {
            words.addAll(sampled);
            words.addAll(named);
        }

        CommandRun run = CommandRun.inTime(servers.toArray());

        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.NO);
        JsonNode found = JSON.readTree(run.out());
        assertThat(found.at("/sample/rows").asInt()).isBetween(ROWS / 10, ROWS * 3 / 10);
        assertThat(found.at("/notes/0").asText()).contains("50.0 % of the ring");
        assertThat(found.findValues("sample"))
                .isEqualTo(
                        JSON.readTree(CommandRun.inTime(directories.toArray()).out())
                                .findValues("sample"));
    }
}
