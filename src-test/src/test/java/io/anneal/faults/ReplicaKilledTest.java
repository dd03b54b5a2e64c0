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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica's process dies in the middle of a repair: the command says which, nothing is left half-written, and the next run converges. */
class ReplicaKilledTest {
    private static final int REPLICAS = 3;
    private static final int KILLED = 2;
    private static final long DEADLINE_MS = 120_000;

    @TempDir
    private Path directory;

    @Test
    void shouldNameTheReplicaAndConvergeLaterWhenItIsKilled() throws Exception {
        Path token = Commands.tokenFile(directory);
        List<Path> data = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            int replica = i;
            // The last one lacks nearly everything, so that it is busy writing for a while.
            data.add(ReplicaFiles.write(
                    directory.resolve("data-" + i), 30_000, 1_000, k -> replica != KILLED || k % 100 == 0));
        }
        List<Commands.Server> servers = new ArrayList<>();
        try {
            for (int i = 0; i < REPLICAS; i++) {
                servers.add(start(i, data.get(i), token));
            }
            List<String> addresses = addresses(servers);
            CompletableFuture<Commands.Result> repair = CompletableFuture.supplyAsync(() -> repair(token, addresses));
            await(() -> hasUnfinishedFiles(staging(KILLED)));
            // Stopped first, so that it cannot finish between being seen and being killed.
            signal("-STOP", servers.get(KILLED));
            assertThat(repair).isNotDone();
            servers.get(KILLED).kill();

            Commands.Result failed = repair.get(DEADLINE_MS, TimeUnit.MILLISECONDS);
            assertThat(failed.exitCode()).isEqualTo(5);
            assertThat(failed.err().lines()).hasSize(1);
            assertThat(failed.err()).startsWith("anneal: error ANL-").contains(addresses.get(KILLED));
            for (int i = 0; i < REPLICAS; i++) {
                int replica = i;
                assertThat(sstables(staging(i))).isEmpty();
                if (i != KILLED) {
                    await(() -> !hasUnfinishedFiles(staging(replica)));
                }
            }

            servers.set(KILLED, start(KILLED, data.get(KILLED), token));
            Commands.Result repaired = repair(token, addresses(servers));
            assertThat(repaired.exitCode()).as(repaired.err()).isZero();
            assertThat(hasUnfinishedFiles(staging(KILLED))).isFalse();
            assertThat(sstables(staging(KILLED))).hasSize(1);

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
        arguments.addAll(List.of("--buffer", "1MiB", "--token-file", token.toString()));
        addresses.forEach(address -> arguments.addAll(List.of("--replica", address)));
        arguments.addAll(List.of(more));
        return Commands.run(arguments.toArray(String[]::new));
    }

    private static boolean hasUnfinishedFiles(Path staging) throws IOException {
        return files(staging).stream()
                .anyMatch(file -> file.getFileName().toString().startsWith(".anneal-staged"));
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

    private static void signal(String name, Commands.Server server) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", name, Long.toString(server.pid())).start();
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
