package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command, the master or the follower is killed at a random step of a repair between stores, which is then gone on with: what was
 * done is not read again, and the stores are equal. {@code -Danneal.seed=N} for other steps.
 */
@Timeout(180)
final class RepairResumedTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(1).withCompactionThreads(0);
    private static final long SEED = Long.getLong("anneal.seed", 1);
    private static final int TABLES = 5;
    private static final int ROWS = 300;
    private static final int PARALLEL = 2;
    /** So that a round takes some seconds: it cannot end before somebody is killed. */
    private static final int RATE = 600;
    /** About as long as a table takes, with as many beside it. */
    private static final int DELAY_MAX_MS = 700;
    /** Who is killed: the command, or a server by its number; the first one is the master. */
    private static final int COMMAND = -1;
    /** One for each victim, and one in which the command is stopped. */
    private static final int ROUNDS = 4;

    private static final long DEADLINE_MS = 60_000;

    @TempDir
    private Path directory;

    private Path token;
    private Path state;
    private final List<Served> served = new ArrayList<>();

    /** A server that is started anew at the same addresses. */
    private final class Served {
        private final Path store;
        private final int port = freePort();
        private final int metricsPort = freePort();
        private Commands.Server server;

        Served(Path store) throws IOException {
            this.store = store;
            start();
        }

        void start() throws IOException {
            server = Commands.Server.start(
                    directory.resolve("server-" + port + ".log"),
                    "--data",
                    store.toString(),
                    "--listen",
                    "127.0.0.1:" + port,
                    "--metrics",
                    "127.0.0.1:" + metricsPort,
                    "--token-file",
                    token.toString());
        }

        long rowsRead() throws Exception {
            String text = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metricsPort + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            Matcher line = Pattern.compile("(?m)^anneal_repair_rows_read\\{.*} (\\d+)$")
                    .matcher(text);
            assertThat(line.find()).as(text).isTrue();
            return Long.parseLong(line.group(1));
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @BeforeEach
    void startServers() throws IOException {
        token = Commands.tokenFile(directory);
        state = directory.resolve("state");
        for (int i = 0; i < 2; i++) {
            served.add(new Served(store(i)));
        }
    }

    @AfterEach
    void stopServers() {
        served.forEach(each -> each.server.close());
    }

    /** Tables for all rounds, in each of which each store lacks some of the other's rows. */
    private Path store(int number) throws IOException {
        Path store = directory.resolve("store-" + number);
        try (Store open = Store.open(store, CONFIG)) {
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < TABLES; i++) {
                    String id = "WITH ID = 5a1c395e-b41f-11e5-9f22-ba0be0483c" + round + i + " AND ";
                    Table table = open.createTable(ReplicaFiles.SCHEMA_TEXT
                            .replace("ks.t ", "ks." + table(round, i) + " ")
                            .replace("WITH ", id));
                    for (long k = 0; k < ROWS; k++) {
                        if (k % 10 != number) {
                            table.row()
                                    .key("k", k)
                                    .set("v", ByteBuffer.allocate(8))
                                    .timestampMicros(1_700_000_000_000_000L)
                                    .insert();
                        }
                    }
                    table.flush();
                }
            }
        }
        return store;
    }

    private static String table(int round, int number) {
        return "r" + round + "_" + number;
    }

    private String[] repair(int round, String... more) {
        List<String> words = new ArrayList<>(List.of("repair", "--full-replicas", "--token-file", token.toString()));
        words.addAll(List.of("--state", state.toString(), "--parallel", Integer.toString(PARALLEL)));
        served.forEach(each -> words.addAll(List.of("--replica", "127.0.0.1:" + each.port)));
        for (int i = 0; i < TABLES; i++) {
            words.addAll(List.of("--table", "ks." + table(round, i)));
        }
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    private JsonNode record(Path home) throws IOException {
        return JSON.readTree(Files.readAllBytes(home.resolve("run.json")));
    }

    /** The run that is not finished, once it has done so many tables. */
    private Path awaitTables(int count, CompletableFuture<?> running) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
        while (System.nanoTime() < deadline && !running.isDone()) {
            if (Files.exists(state)) {
                try (Stream<Path> homes = Files.list(state)) {
                    for (Path home : homes.toList()) {
                        if (Files.exists(home.resolve("run.json"))
                                && record(home).get("outcome").asText().equals("unfinished")
                                && record(home).get("tables").size() >= count) {
                            return home;
                        }
                    }
                }
            }
            Thread.sleep(2);
        }
        throw new AssertionError("no run came so far, tables=" + count);
    }

    @Test
    void shouldGoOnWhoeverWasKilled() throws Exception {
        Random random = new Random(SEED);
        List<Integer> victims = new ArrayList<>(List.of(COMMAND, 0, 1));
        Collections.shuffle(victims, random);
        for (int round = 0; round < victims.size(); round++) {
            int victim = victims.get(round);
            int tables = 1 + random.nextInt(TABLES - PARALLEL - 1);
            int delayMs = random.nextInt(DELAY_MAX_MS);
            String what = "seed=" + SEED + ", victim=" + victim + ", tables=" + tables + ", delayMs=" + delayMs;
            long[] before = {served.get(0).rowsRead(), served.get(1).rowsRead()};
            Path home = killed(round, victim, tables, delayMs);
            Commands.Result status = Commands.run("repair", "--state", state.toString(), "--status");
            assertThat(status.exitCode()).as(what).isEqualTo(1);
            String id = home.getFileName().toString();

            Commands.Result resumed = Commands.run("repair", "--state", state.toString(), "--json", "--resume", id);

            assertThat(resumed.exitCode()).as(what + resumed.err()).isZero();
            JsonNode result = JSON.readTree(resumed.out());
            assertThat(result.get("tables")).hasSize(TABLES);
            int repairedBefore = 0;
            for (JsonNode table : result.get("tables")) {
                long rows = table.at("/replicas/1/rows-read").asLong();
                assertThat(rows).as(what).isIn(ROWS * 9L / 10, (long) ROWS);
                // The master had kept its part when the follower was killed in the last step: both attempts are told.
                boolean isTwice = table.get("notes").toString().contains("lost before it said whether it kept");
                assertThat(table.at("/replicas/0/rows-read").asLong())
                        .as(what)
                        .isEqualTo(isTwice ? ROWS * 9L / 10 + ROWS : rows);
                assertThat(isTwice && victim != 1).as(what).isFalse();
                repairedBefore += rows == ROWS ? 1 : 0;
            }
            assertThat(repairedBefore)
                    .as("done when the end came, and not recorded: " + what)
                    .isLessThanOrEqualTo(PARALLEL);
            for (int i = 0; i < 2; i++) {
                boolean wasKilled = victim == i;
                long twice = (long) PARALLEL * ROWS;
                assertThat(served.get(i).rowsRead() - (wasKilled ? 0 : before[i]))
                        .as(what)
                        .isLessThanOrEqualTo((wasKilled ? TABLES - tables : TABLES) * ROWS * 9L / 10 + twice);
            }
            Commands.Result again = Commands.run(repair(round, "--dry-run"));
            assertThat(again.exitCode()).as(what + again.out() + again.err()).isZero();
        }
        assertThat(Commands.run("repair", "--state", state.toString(), "--status")
                        .exitCode())
                .isZero();
    }

    /** It is as if it had never been interrupted. */
    @Test
    void shouldLoseNothingWhenTheCommandIsStopped() throws Exception {
        int round = ROUNDS - 1;
        long[] before = {served.get(0).rowsRead(), served.get(1).rowsRead()};
        Path log = directory.resolve("command.log");
        Process command = Commands.start(log, repair(round, "--rate", Integer.toString(RATE)));
        String id;
        try {
            id = awaitTables(1, command.onExit()).getFileName().toString();
            command.destroy();
            assertThat(command.waitFor(DEADLINE_MS, TimeUnit.MILLISECONDS)).isTrue();
        } finally {
            command.destroyForcibly().waitFor();
        }
        assertThat(command.exitValue()).as(Files.readString(log)).isEqualTo(143);
        assertThat(Files.readString(log)).contains("interrupted: ", "go on with: anneal repair ");

        Commands.Result resumed = Commands.run("repair", "--state", state.toString(), "--json", "--resume", id);

        assertThat(resumed.exitCode()).as(resumed.err()).isZero();
        assertThat(JSON.readTree(resumed.out()).get("starts").asInt()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            assertThat(served.get(i).rowsRead() - before[i]).isEqualTo(TABLES * ROWS * 9L / 10);
        }
    }

    /** Ends the command, and where another is killed does so after that: it would try for a while to reach it. */
    private Path killed(int round, int victim, int tables, int delayMs) throws Exception {
        Path log = directory.resolve("command-" + round + ".log");
        Process command = Commands.start(log, repair(round, "--rate", Integer.toString(RATE)));
        try {
            Path home = awaitTables(tables, command.onExit());
            // Anywhere in the tables that are repaired then.
            Thread.sleep(delayMs);
            if (victim == COMMAND) {
                return home;
            }
            Served killed = served.get(victim);
            killed.server.kill();
            command.destroy();
            assertThat(command.waitFor(DEADLINE_MS, TimeUnit.MILLISECONDS)).isTrue();
            List<String> lines = Files.readAllLines(log);
            assertThat(lines.get(lines.size() - 1))
                    .isEqualTo("go on with: anneal repair --state=" + state + " --resume "
                            + home.getFileName().toString().substring(0, 8));
            killed.start();
            return home;
        } finally {
            command.destroyForcibly().waitFor();
        }
    }
}
