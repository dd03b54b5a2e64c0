package io.anneal.net;

import static io.anneal.net.NetFixture.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that breaks when a header has announced its bytes already ends the connection, which then says so. */
@Timeout(60)
class BrokenFileTest {
    private static final Verb UPLOAD = new Verb(2, "test.upload");
    private static final int FILE_BYTES = 256 << 20;

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNameTheFileWhenItBreaksUnderWay(boolean closed) throws Exception {
        try (NetFixture net = new NetFixture()) {
            CompletableFuture<Connection> accepted = new CompletableFuture<>();
            net.handlers.registerStream(UPLOAD, stream -> accepted.complete(stream.connection()));
            net.serve(config());
            try (RawPeer peer = RawPeer.connect(net.server.address());
                    FileChannel file = sparse()) {
                peer.shakeHands(Handshake.Role.CLIENT, config());
                peer.send(RawPeer.bytesOf(FrameKind.OPEN, UPLOAD.number(), 1, new byte[0]));
                Session session = (Session) accepted.get();
                PeerStream stream = session.open(UPLOAD);
                CompletableFuture<Void> sent = stream.write(file, 0, FILE_BYTES);
                peer.read();
                peer.send(RawPeer.bytesOf(FrameKind.CREDIT, 1 << 30, 2, new byte[0]));
                while (!breakWhenBlocked(session, file, closed)) {
                    Thread.sleep(1);
                }
                peer.awaitEnd();

                assertThatThrownBy(() -> Waiting.result(sent)).isInstanceOf(IOException.class);
                assertThat(session.closeCause().orElseThrow())
                        .hasMessageContaining("a file of this side could not be sent to its end")
                        .hasMessageContaining("code=internal");
                assertThat(net.failure()).hasMessageContaining("a file of this side");
            }
        }
    }

    private FileChannel sparse() throws IOException {
        FileChannel file = FileChannel.open(
                dir.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        file.write(ByteBuffer.allocate(1), FILE_BYTES - 1);
        return file;
    }

    /** On the event loop, so that a piece is under way just then. */
    private static boolean breakWhenBlocked(Session session, FileChannel file, boolean closed) {
        CompletableFuture<Boolean> broken = new CompletableFuture<>();
        session.runOnLoop(() -> {
            boolean blocked = !session.writer().context().channel().isWritable();
            try {
                if (blocked && closed) {
                    file.close();
                } else if (blocked) {
                    file.truncate(0);
                }
                broken.complete(blocked);
            } catch (IOException failed) {
                broken.completeExceptionally(failed);
            }
        });
        return broken.join();
    }
}
