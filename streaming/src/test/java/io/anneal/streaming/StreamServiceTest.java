package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerStream;
import io.anneal.net.PieceConsumer;
import io.anneal.net.Verb;
import io.anneal.node.StoreReplicas;
import io.anneal.schema.SchemaText;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.streaming.message.FilePart;
import io.anneal.streaming.message.OpenSource;
import io.anneal.streaming.message.StreamVerb;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StreamServiceTest {
    @TempDir
    private Path directory;

    /** Was reset by its peer while a piece of the file was on its way to the socket. */
    private static final class ResetStream implements PeerStream {
        private final ByteBuffer question;
        private final CompletableFuture<Void> written = new CompletableFuture<>();
        private FileChannel file;

        ResetStream(ByteBuffer question) {
            this.question = question;
        }

        @Override
        public Verb verb() {
            return StreamVerb.FILE;
        }

        @Override
        public Connection connection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> write(ByteBuffer data) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> write(FileChannel sent, long position, long lengthBytes) {
            file = sent;
            return written;
        }

        @Override
        public CompletableFuture<Void> end() {
            return CompletableFuture.failedFuture(new IOException("reset"));
        }

        @Override
        public CompletableFuture<Boolean> read(PieceConsumer consumer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean readHere(PieceConsumer consumer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> readAll(PieceConsumer consumer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<ByteBuffer> readMessage(int bytesMax) {
            return CompletableFuture.completedFuture(question);
        }

        @Override
        public MessageStream messages() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void reset(String code, String message) {
            throw new AssertionError(code + " " + message);
        }

        @Override
        public long idleNanos() {
            return 0;
        }

        @Override
        public CompletableFuture<Void> closed() {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void shouldKeepAFileOpenUntilItsPieceHasLeftWhenTheStreamWasReset() throws IOException {
        try (Store store = Store.open(directory)) {
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
            table.row().key("k", 1).set("v", "a").insert();
            table.flush();
            ResetStream stream;
            try (TestNode node = TestNode.of(new StoreReplicas(store))) {
                stream = new ResetStream(question(node, table));

                node.service().file(stream);
            }
            // The session has ended with its connection.
            assertThat(stream.file.isOpen()).isTrue();

            stream.written.completeExceptionally(new IOException("reset"));

            assertThat(stream.file.isOpen()).isFalse();
        }
    }

    /** Of a session, for the first file that it holds. */
    private static ByteBuffer question(TestNode node, Table table) throws IOException {
        RemoteSource session = RemoteSource.open(
                node.node().peers().open(node.address()),
                new OpenSource(
                        "",
                        "ks",
                        "t",
                        SchemaText.print(table.schema()),
                        EnumSet.allOf(SSTableVersion.class),
                        SSTableVersion.OA.localDeletionTimeMaxSeconds(),
                        List.of(TokenRange.FULL)));
        ByteWriter out = new ByteWriter(64);
        new FilePart(session.inventory().sessionId(), 0, Component.DATA, 0).encode(out);
        return ByteBuffer.wrap(out.toByteArray());
    }
}
