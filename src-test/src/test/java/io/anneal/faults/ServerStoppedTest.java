package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.Connection;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.TokenFile;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.repair.RepairRunner;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is told to stop says so to its peers. */
class ServerStoppedTest {
    @TempDir
    private Path directory;

    @Test
    void shouldCloseInGoodOrderWhenItIsTerminated() throws Exception {
        Path token = Commands.tokenFile(directory);
        Path data = ReplicaFiles.write(directory.resolve("data"), 10, 10, k -> true);
        ExecutorService executor = Executors.newCachedThreadPool();
        NetConfig config = NetConfig.of(
                new NodeIdentity(new UUID(1, 1), "", Map.of()),
                Optional.of(TokenFile.read(token)),
                new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION));
        try (Commands.Server server = Commands.Server.start(
                        directory.resolve("server.log"), "--data", data.toString(), "--token-file", token.toString());
                NetClient client = NetClient.open(config, new VerbHandlers(executor), new SecureRandom())) {
            Connection connection = client.open(RepairRunner.address(server.address()));
            CountDownLatch ended = new CountDownLatch(1);
            connection.onClose(ended::countDown);

            ProcessHandle.of(server.pid()).orElseThrow().destroy();

            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(connection.closeCause()).isEmpty();
        } finally {
            executor.shutdown();
        }
    }
}
