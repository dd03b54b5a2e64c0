package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process dies in the middle of a repair, a replica's (the first replica is the master) or the command's own: nothing is
 * left that could be imported half-written, and the next run converges.
 */
class ReplicaKilledTest {
    private static final int REPLICAS = 3;
    private static final int ROWS = 30_000;
    private static final int VALUE_BYTES = 1_000;
    private static final long DEADLINE_MS = 120_000;
    private static final Pattern WAY_ON = Pattern.compile("go on with: anneal repair .*--resume (\\S+)");

    @TempDir
    private Path directory;

    @ParameterizedTest(name = "killed={0}")
    @ValueSource(ints = {0, 2})
    void shouldNameTheReplicaAndConvergeLaterWhenItIsKilled(int killed) throws Exception {
        Path token = Commands.tokenFile(directory);
        List<Path> data = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            int replica = i;
            // The one lacks nearly everything, so that it is busy writing for a while.
            data.add(ReplicaFiles.write(
                    directory.resolve("data-" + i), ROWS, VALUE_BYTES, k -> replica != killed || k % 100 == 0));
        }
        List<Commands.Server> servers = new ArrayList<>();
        try {
            for (int i = 0; i < REPLICAS; i++) {
                servers.add(start(i, data.get(i), token));
            }
            List<String> addresses = addresses(servers);
            CompletableFuture<Commands.Result> repair = CompletableFuture.supplyAsync(() -> repair(token, addresses));
            await(() -> hasUnfinishedRows(staging(killed)));
            // Stopped first, so that it cannot finish between being seen and being killed.
            signal("-STOP", servers.get(killed).pid());
            assertThat(repair).isNotDone();
            servers.get(killed).kill();

            Commands.Result failed = repair.get(DEADLINE_MS, TimeUnit.MILLISECONDS);
            assertThat(failed.exitCode()).isEqualTo(5);
            assertThat(failed.err().lines()).hasSize(1);
            assertThat(failed.err()).startsWith("anneal: error ANL-").contains(addresses.get(killed));
            for (int i = 0; i < REPLICAS; i++) {
                int replica = i;
                assertThat(sstables(staging(i))).isEmpty();
                if (i != killed) {
                    await(() -> !hasUnfinishedFiles(staging(replica)));
                }
            }

            servers.set(killed, start(killed, data.get(killed), token));
            Commands.Result repaired = repair(token, addresses(servers));
            assertThat(repaired.exitCode()).as(repaired.err()).isZero();
            assertThat(hasUnfinishedFiles(staging(killed))).isFalse();
            // One for each session: a slow machine ends some by time.
            assertThat(sstables(staging(killed))).isNotEmpty();

            String run = new ObjectMapper()
                    .readTree(repaired.out())
                    .at("/tables/0/run")
                    .asText();
            Commands.Result again = repair(token, addresses(servers), "--dry-run", "--staged", run);
            assertThat(again.out()).as(again.err()).contains("\"were-equal\":true");
        } finally {
            servers.forEach(Commands.Server::close);
        }
    }

    @Test
    void shouldConvergeLaterWhenTheCommandIsKilled() throws Exception {
        List<Path> data = List.of(
                ReplicaFiles.write(directory.resolve("data-0"), ROWS, VALUE_BYTES, k -> k % 100 == 0),
                ReplicaFiles.write(directory.resolve("data-1"), ROWS, VALUE_BYTES, k -> k % 100 != 50));
        Path out = directory.resolve("out");
        Process command = Commands.start(directory.resolve("killed.log"), repairDirectories(data, out));
        try {
            await(() -> hasUnfinishedRows(out) || !command.isAlive());
            // Stopped first, so that it cannot finish between being seen and being killed.
            signal("-STOP", command.pid());
            assertThat(command.isAlive()).isTrue();
        } finally {
            command.destroyForcibly().waitFor();
        }
        assertThat(hasUnfinishedRows(out)).isTrue();
        assertThat(importable(out)).isEmpty();

        Commands.Result repaired = Commands.run(repairDirectories(data, out));
        assertThat(repaired.exitCode()).as(repaired.err()).isZero();
        assertThat(hasUnfinishedFiles(out)).isFalse();
        assertThat(sstables(out)).isNotEmpty();
        shouldBeEqualOnceImported(data, out);
    }

    /** What is done when it ends may be staged, and then it says how to go on. */
    @Test
    void shouldLeaveNothingUnfinishedWhenTheCommandIsEnded() throws Exception {
        List<Path> data = List.of(
                ReplicaFiles.write(directory.resolve("data-0"), ROWS, VALUE_BYTES, k -> k % 100 == 0),
                ReplicaFiles.write(directory.resolve("data-1"), ROWS, VALUE_BYTES, k -> k % 100 != 50));
        Path out = directory.resolve("out");
        Path state = directory.resolve("state");
        Path log = directory.resolve("ended.log");
        List<String> slowly = new ArrayList<>(List.of(repairDirectories(data, out)));
        // It rests after the first windows, so that it cannot finish before it is ended.
        slowly.addAll(List.of("--rate", "1", "--state", state.toString()));
        Process command = Commands.start(log, slowly.toArray(String[]::new));
        try {
            await(() -> hasUnfinishedRows(out) || !command.isAlive());
            signal("-TERM", command.pid());
            assertThat(command.waitFor(DEADLINE_MS, TimeUnit.MILLISECONDS)).isTrue();
        } finally {
            command.destroyForcibly();
        }

        assertThat(command.exitValue()).isEqualTo(143);
        assertThat(hasUnfinishedFiles(out)).isFalse();
        Matcher wayOn = WAY_ON.matcher(Files.readString(log));
        boolean hasWayOn = wayOn.find();
        assertThat(hasWayOn || importable(out).isEmpty()).isTrue();

        Commands.Result rest = hasWayOn
                ? Commands.run("repair", "--state", state.toString(), "--rate", "0", "--resume", wayOn.group(1))
                : Commands.run(repairDirectories(data, out));
        assertThat(rest.exitCode()).as(rest.err()).isZero();
        shouldBeEqualOnceImported(data, out);
    }

    private void shouldBeEqualOnceImported(List<Path> data, Path out) throws IOException {
        for (int i = 0; i < data.size(); i++) {
            importInto(data.get(i), out.resolve("data-" + i));
        }
        Commands.Result again = Commands.run(repairDirectories(data, directory.resolve("again")));
        assertThat(again.out()).as(again.err()).contains("\"were-equal\":true");
    }

    private static String[] repairDirectories(List<Path> data, Path out) {
        List<String> arguments = new ArrayList<>(List.of("repair", "--json", "--table", "ks.t", "--full-replicas"));
        data.forEach(path -> arguments.addAll(List.of("--dir", path.toString())));
        arguments.addAll(List.of("--parallel", "1", "--buffer", "1MiB", "--apply", "--out", out.toString()));
        return arguments.toArray(String[]::new);
    }

    /** As {@code nodetool import} does: the replica's own generations are taken. */
    private static void importInto(Path table, Path staging) throws IOException {
        assertThat(staging).isDirectory();
        for (Path file : files(staging)) {
            String name = file.getFileName().toString();
            if (name.startsWith("nb-")) {
                Files.move(file, table.resolve(name.replaceFirst("^nb-(\\d+)-", "nb-9$1-")));
            }
        }
    }

    private Path staging(int replica) {
        return directory.resolve("staging-" + replica);
    }

    private Commands.Server start(int replica, Path data, Path token) throws IOException {
        return Commands.Server.start(
                directory.resolve("server-" + replica + ".log"),
                "--data",
                data.toString(),
                "--staging",
                staging(replica).toString(),
                "--token-file",
                token.toString());
    }

    private static List<String> addresses(List<Commands.Server> servers) {
        return servers.stream().map(Commands.Server::address).toList();
    }

    private static Commands.Result repair(Path token, List<String> addresses, String... more) {
        List<String> arguments = new ArrayList<>(List.of("repair", "--json", "--table", "ks.t", "--full-replicas"));
        // One part: of several, those that are done when it is killed are kept.
        arguments.addAll(List.of("--parallel", "1", "--buffer", "1MiB", "--token-file", token.toString()));
        addresses.forEach(address -> arguments.addAll(List.of("--replica", address)));
        arguments.addAll(List.of(more));
        return Commands.run(arguments.toArray(String[]::new));
    }

    private static boolean hasUnfinishedFiles(Path staging) throws IOException {
        return files(staging).stream()
                .anyMatch(file -> file.getFileName().toString().startsWith(".anneal-staged"));
    }

    /** Rows are being written, not only names of files. */
    private static boolean hasUnfinishedRows(Path staging) throws IOException {
        for (Path file : files(staging)) {
            String name = file.getFileName().toString();
            if (name.startsWith(".anneal-staged") && name.contains("-Data.db") && Files.size(file) > 0) {
                return true;
            }
        }
        return false;
    }

    /** What Cassandra would take for a component. */
    private static List<Path> importable(Path staging) throws IOException {
        return files(staging).stream()
                .filter(file -> !file.getFileName().toString().startsWith("."))
                .toList();
    }

    private static List<Path> sstables(Path staging) throws IOException {
        return files(staging).stream()
                .filter(file -> file.getFileName().toString().endsWith("-Data.db"))
                .toList();
    }

    private static List<Path> files(Path staging) throws IOException {
        if (!Files.exists(staging)) {
            return List.of();
        }
        try (Stream<Path> found = Files.find(staging, 4, (file, attributes) -> attributes.isRegularFile())) {
            return found.toList();
        }
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", name, Long.toString(pid)).start();
        assertThat(kill.waitFor()).isZero();
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    /** Waits for something that comes, however slow the machine is. */
    private static void await(Condition condition) throws IOException, InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
        while (!holdsNow(condition)) {
            assertThat(System.nanoTime()).as("deadline").isLessThan(deadlineNanos);
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    private static boolean holdsNow(Condition condition) throws IOException {
        try {
            return condition.holds();
        } catch (UncheckedIOException | NoSuchFileException renamedMeanwhile) {
            return false;
        }
    }
}
