package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.Connection;
import io.anneal.net.MessageStream;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.TokenFile;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.repair.RepairCode;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.SessionStep;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server of the default memory whose peer sends messages that the heap has no room for. */
@Timeout(180)
class HugeMessagesTest {
    private static final int AT_ONCE = 8;
    private static final int LENGTH_BYTES = 400 << 20;

    @TempDir
    private Path directory;

    @Test
    void shouldRefuseThemByNameAndServeOn() throws Exception {
        Path token = Commands.tokenFile(directory);
        Path data = ReplicaFiles.write(directory.resolve("data"), 10, 10, k -> true);
        ExecutorService executor = Executors.newCachedThreadPool();
        NetConfig config = NetConfig.of(
                new NodeIdentity(new UUID(1, 1), "", Map.of()),
                Optional.of(TokenFile.read(token)),
                new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION));
        try (Commands.Server server = Commands.Server.startWithHeap(
                        "512m",
                        directory.resolve("server.log"),
                        "--data",
                        data.toString(),
                        "--token-file",
                        token.toString());
                NetClient client = NetClient.open(config, new VerbHandlers(executor), new SecureRandom());
                Connection connection = client.open(RepairRunner.address(server.address()))) {
            ByteBuffer huge = zeros(directory.resolve("huge"));
            List<CompletableFuture<?>> pushing = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                MessageStream session = connection.open(RepairVerb.SESSION).messages();
                session.write(SessionStep.PUSH.code(), huge.duplicate());
                pushing.add(session.read());
            }
            for (CompletableFuture<?> request : pushing) {
                assertThat(refusal(request))
                        .returns(PeerException.MESSAGE_TOO_LARGE, PeerException::code)
                        .hasMessageContaining("lengthBytes=419430400, maxBytes=");
            }

            MessageStream session = connection.open(RepairVerb.SESSION).messages();
            session.write(SessionStep.READ.code(), ByteBuffer.allocate(0));
            assertThat(refusal(session.read()).code()).isEqualTo(RepairCode.NO_SESSION);
            assertThat(ProcessHandle.of(server.pid())).isPresent();
        } finally {
            executor.shutdown();
        }
    }

    private static PeerException refusal(CompletableFuture<?> request) throws Exception {
        try {
            request.get(120, TimeUnit.SECONDS);
            throw new AssertionError("the message was taken");
        } catch (ExecutionException failed) {
            return (PeerException) failed.getCause();
        }
    }

    /** Of a file without blocks, so that this process needs no memory for it. */
    private static ByteBuffer zeros(Path file) throws Exception {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), LENGTH_BYTES - 1L);
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH_BYTES);
        }
    }
}
