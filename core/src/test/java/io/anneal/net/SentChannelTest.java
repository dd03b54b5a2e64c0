package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.InputFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sendfile wants the platform's own channels: any other one ended the process. */
@Timeout(60)
class SentChannelTest {
    private static final Verb DOWNLOAD = new Verb(2, "test.download");

    @TempDir
    Path directory;

    @Test
    void shouldSendAFileThatIsReadThroughAChannelOfOurs() throws Exception {
        byte[] content = new byte[300_000];
        new Random(1).nextBytes(content);
        Path path = Files.write(directory.resolve("file"), content);
        try (NetFixture net = NetFixture.started();
                FileChannel file = InputFile.open(path)) {
            net.handlers.registerStream(DOWNLOAD, stream -> {
                stream.write(file, 10, content.length - 10);
                stream.end();
            });

            assertThat(download(net)).isEqualTo(Arrays.copyOfRange(content, 10, content.length));
        }
    }

    /** What else comes to the stream meanwhile must not send from the buffer that is being filled. */
    @Test
    void shouldSendNothingOfABufferThatIsBeingFilled() throws Exception {
        byte[] content = new byte[300_000];
        new Random(2).nextBytes(content);
        Path path = Files.write(directory.resolve("file"), content);
        try (NetFixture net = NetFixture.started();
                SlowEnd file = new SlowEnd(InputFile.open(path), content.length - 1)) {
            net.handlers.registerStream(DOWNLOAD, stream -> {
                stream.write(file, 0, content.length);
                Thread other = new Thread(() -> {
                    try {
                        file.begun.await();
                        // Each comes to the event loop, which looks whether there is something to send.
                        stream.write(ByteBuffer.wrap(new byte[] {1}));
                        stream.end();
                        stream.connection().call(NetFixture.ECHO, ByteBuffer.allocate(1));
                        file.goOn.countDown();
                    } catch (IOException | InterruptedException e) {
                        stream.reset("test-failed", e.toString());
                    }
                });
                other.start();
            });

            byte[] expected = Arrays.copyOf(content, content.length + 1);
            expected[content.length] = 1;
            assertThat(ByteBuffer.wrap(download(net))).isEqualTo(ByteBuffer.wrap(expected));
        }
    }

    /** A file whose last byte is read when it may be. */
    private static final class SlowEnd extends FileChannel {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private final FileChannel file;
        private final long slowFrom;

        SlowEnd(FileChannel file, long slowFrom) {
            this.file = file;
            this.slowFrom = slowFrom;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            if (position + target.remaining() > slowFrom) {
                begun.countDown();
                try {
                    assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
            }
            return file.read(target, position);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        protected void implCloseChannel() throws IOException {
            file.close();
        }

        @Override
        public int read(ByteBuffer target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer source) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer source, long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long position() {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel position(long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force(boolean metaData) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }
    }

    private static byte[] download(NetFixture net) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PeerStream stream = net.connect().open(DOWNLOAD);
        stream.end();
        Waiting.result(stream.readAll(piece -> {
            while (piece.hasRemaining()) {
                out.write(piece.get());
            }
        }));
        return out.toByteArray();
    }
}
