package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a caller may do wrong: it hears of it at once, and its connection goes on. */
@Timeout(60)
class WrongUseTest {
    private static final Verb UNREAD = new Verb(2, "test.unread");

    @TempDir
    Path dir;

    @Test
    void shouldRefuseNothingInPlaceOfSomething() throws Exception {
        try (NetFixture net = NetFixture.started()) {
            Connection connection = net.connect();
            PeerStream stream = connection.open(ECHO);

            assertThatNullPointerException()
                    .isThrownBy(() -> connection.open(null))
                    .withMessage("verb");
            assertThatNullPointerException()
                    .isThrownBy(() -> connection.request(null, bytes("x")))
                    .withMessage("verb");
            assertThatNullPointerException()
                    .isThrownBy(() -> connection.request(ECHO, null))
                    .withMessage("content");
            assertThatNullPointerException().isThrownBy(() -> stream.read(null)).withMessage("consumer");
            assertThatNullPointerException()
                    .isThrownBy(() -> stream.readAll(null))
                    .withMessage("consumer");
            assertThatNullPointerException().isThrownBy(() -> net.handlers.register(UNREAD, null));
            assertThatNullPointerException().isThrownBy(() -> net.handlers.registerStream(UNREAD, null));
            assertThatNullPointerException().isThrownBy(() -> new VerbHandlers(null));
            assertThat(text(connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    @Test
    void shouldRefuseCodesThatPeersDoNotTakeAndCarryThoseTheyTake() throws Exception {
        try (NetFixture net = NetFixture.started()) {
            net.handlers.register(UNREAD, (peer, request) -> {
                throw new RequestException(text(request), "no");
            });
            Connection connection = net.connect();
            PeerStream stream = connection.open(ECHO);

            for (String code : new String[] {"", "Has Blanks", "a.b", "x".repeat(65)}) {
                assertThatThrownBy(() -> stream.reset(code, "no"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("a code has 1 to 64 of a-z, 0-9 and hyphens, code=" + code);
                assertThatThrownBy(() -> connection.call(UNREAD, bytes(code)))
                        .isInstanceOfSatisfying(
                                PeerException.class, e -> assertThat(e.code()).isEqualTo(PeerException.INTERNAL));
            }
            for (String code : new String[] {"x", "no-room-2", "x".repeat(64)}) {
                assertThatThrownBy(() -> connection.call(UNREAD, bytes(code)))
                        .isInstanceOfSatisfying(
                                PeerException.class, e -> assertThat(e.code()).isEqualTo(code));
            }
            assertThat(text(connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    @Test
    void shouldRefuseFilesThatCannotBeReadAndKeepTheConnection() throws Exception {
        Path path = Files.write(dir.resolve("file"), new byte[1000]);
        try (NetFixture net = NetFixture.started();
                FileChannel file = FileChannel.open(path);
                FileChannel writeOnly = FileChannel.open(path, StandardOpenOption.WRITE);
                FileChannel directory = FileChannel.open(dir)) {
            net.handlers.registerStream(UNREAD, stream -> {});
            Connection connection = net.connect();
            PeerStream stream = connection.open(UNREAD);

            assertThatThrownBy(() -> stream.write(file, -1, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> stream.write(file, 0, -1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Waiting.result(stream.write(writeOnly, 0, 1000)))
                    .hasMessageContaining("file was not opened for reading");
            // What the system says of it is in its user's language.
            assertThatThrownBy(() -> Waiting.result(stream.write(directory, 0, 1)))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> Waiting.result(stream.write(file, 1, 1000)))
                    .hasMessageContaining("file is shorter");
            assertThat(text(connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    @Test
    void shouldEndTheConnectionInsteadOfWaitingWhenTheEventLoopMeetsAMistake() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.handlers.register(UNREAD, (peer, request) -> new CompletableFuture<>());
            net.serve(config());
            net.callWith(config());
            Connection connection = net.connect();
            CompletableFuture<ByteBuffer> pending = connection.request(UNREAD, bytes("x"));

            ((Session) connection).runOnLoop(() -> {
                throw new IllegalStateException("a mistake");
            });

            assertThatThrownBy(() -> Waiting.result(pending))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=internal")
                    .cause()
                    .hasMessageContaining("a mistake");
            assertThat(connection.isOpen()).isFalse();
        }
    }
}
