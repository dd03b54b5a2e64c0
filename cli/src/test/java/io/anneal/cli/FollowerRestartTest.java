package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.TokenFile;
import io.anneal.node.CassandraReplicas;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class FollowerRestartTest {
    @TempDir
    private Path directory;

    private CommandNode serve(int number, int port, Path token) throws IOException {
        Path data = directory.resolve("data" + number);
        return CommandNode.serve(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                new CassandraReplicas(List.of(data), Optional.empty(), Optional.empty()),
                CommandNode.config(new UUID(1, number), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                HostEnvironment.system());
    }

    @Test
    void shouldWaitAtTheStartOfARepairForAFollowerThatComesBack() throws Exception {
        Path token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        for (int i = 0; i < 2; i++) {
            Tables.write(
                    directory.resolve("data" + i),
                    writer -> writer.row().key("id", 7).clustering("at", 1).insert());
        }
        ExecutorService executor = Executors.newSingleThreadExecutor();
        ServerSocket dying = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        int port = dying.getLocalPort();
        Callable<CommandNode> restart = () -> {
            // The master has come, and is turned away: from here on the follower is down, until it listens again.
            Socket first = dying.accept();
            first.setSoLinger(true, 0);
            first.close();
            dying.close();
            return serve(1, port, token);
        };
        Future<CommandNode> restarted = executor.submit(restart);
        try (CommandNode master = serve(0, 0, token)) {
            CommandRun run = CommandRun.of(
                    "repair",
                    "--replica",
                    "127.0.0.1:" + master.address().getPort(),
                    "--replica",
                    "127.0.0.1:" + port,
                    "--table",
                    "ks.readings",
                    "--full-replicas",
                    "--dry-run",
                    "--token-file",
                    token);

            assertThat(run.err()).doesNotContain("error");
            assertThat(run.exitCode()).isZero();
            assertThat(restarted).isDone();
        } finally {
            dying.close();
            restarted.get(20, TimeUnit.SECONDS).close();
            executor.shutdownNow();
        }
    }
}
