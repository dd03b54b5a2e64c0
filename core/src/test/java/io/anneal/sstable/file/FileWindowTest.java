package io.anneal.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileWindowTest {
    private static final Path FILE = Path.of("window-Data.db");
    private static final int CHUNK_DATA_BYTES = 16 << 10;
    private static final int BLOCK_DATA_BYTES = 64 << 10;
    private static final int ROW_DATA_BYTES = 1 << 10;

    private final byte[] content = new byte[4 << 20];
    private final CountingChannel channel = new CountingChannel(content);

    FileWindowTest() {
        new Random(1).nextBytes(content);
    }

    private void fetch(FileWindow window, long position, int wantedBytes) throws IOException {
        int at = window.fetch(position, wantedBytes);
        assertThat(Arrays.equals(
                        window.array(), at, at + wantedBytes, content, (int) position, (int) position + wantedBytes))
                .as("position=%d, wantedBytes=%d", position, wantedBytes)
                .isTrue();
    }

    @Test
    void shouldGiveWhatTheFileHasWhereverOneGoes() throws IOException {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);
        FileWindow window = new FileWindow(FILE, channel, content.length);
        FileWindow lookup = FileWindow.forLookup(FILE, channel, content.length, 4096);
        long position = 0;
        for (int i = 0; i < 5000; i++) {
            int wantedBytes = random.nextInt(random.nextInt(10) == 0 ? 200_000 : 20_000);
            position += switch (random.nextInt(4)) {
                case 0 -> wantedBytes;
                case 1 -> -random.nextInt(100_000);
                case 2 -> -random.nextInt(30_000);
                default -> random.nextInt(50) == 0 ? random.nextInt(content.length) - position : 0;
            };
            position = Math.max(0, Math.min(content.length - wantedBytes, position));
            try {
                fetch(window, position, wantedBytes);
                fetch(lookup, position, wantedBytes);
            } catch (AssertionError e) {
                throw new AssertionError("seed=" + seed, e);
            }
        }
    }

    /** Chunks of blocks, the last block first, each in order, as rows are read against their order. */
    @ParameterizedTest
    @ValueSource(ints = {2 << 10, 9 << 10, CHUNK_DATA_BYTES + 4})
    void shouldReadEachByteOnceWhereBlocksAreReadAgainstTheirOrder(int chunkStoredBytes) throws IOException {
        long chunkCount = content.length / chunkStoredBytes;
        List<Long> blocks = new ArrayList<>();
        for (long begin = 0; begin < chunkCount * CHUNK_DATA_BYTES; begin += BLOCK_DATA_BYTES + ROW_DATA_BYTES / 2) {
            blocks.add(begin);
        }
        blocks.add(chunkCount * CHUNK_DATA_BYTES);
        FileWindow window = new FileWindow(FILE, channel, content.length);
        for (int block = blocks.size() - 2; block >= 0; block--) {
            long last = (blocks.get(block + 1) - 1) / CHUNK_DATA_BYTES;
            for (long chunk = blocks.get(block) / CHUNK_DATA_BYTES; chunk <= last; chunk++) {
                fetch(window, chunk * chunkStoredBytes, chunkStoredBytes);
            }
        }
        assertThat(channel.bytesRead).isLessThan(content.length + content.length / 10);
        assertThat(channel.reads).isLessThan(content.length / FileWindow.READ_BACK_BYTES * 3 / 2);
    }

    @Test
    void shouldReadNoMoreThanIsWantedAfterAJump() throws IOException {
        FileWindow window = new FileWindow(FILE, channel, content.length);
        fetch(window, 3 << 20, 10_000);
        fetch(window, 1 << 20, 10_000);
        fetch(window, 2 << 20, 10_000);
        assertThat(channel.bytesRead).isEqualTo(30_000);
    }

    @Test
    void shouldReadNoMoreThanIsWantedWhereSomethingIsSearched() throws IOException {
        FileWindow window = FileWindow.forLookup(FILE, channel, content.length, 4096);
        fetch(window, 3 << 20, 4096);
        fetch(window, (3 << 20) - 8192, 4096);
        fetch(window, (3 << 20) - 16384, 4096);
        assertThat(channel.bytesRead).isEqualTo(3 * 4096);
    }

    @Test
    void shouldReadAgainWhatCouldNotBeReadBack() throws IOException {
        FileWindow window = new FileWindow(FILE, channel, content.length);
        fetch(window, 1 << 20, 10_000);
        channel.isBroken = true;
        assertThat(catchThrowable(() -> window.fetch((1 << 20) - 5000, 6000))).hasMessage("broken disk");
        channel.isBroken = false;
        fetch(window, 1 << 20, 10_000);
        fetch(window, (1 << 20) - 5000, 6000);
    }

    /** Bytes in memory, read from any place. */
    private static final class CountingChannel extends FileChannel {
        private final byte[] content;
        private long bytesRead;
        private int reads;
        private boolean isBroken;

        private CountingChannel(byte[] content) {
            this.content = content;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            if (isBroken) {
                throw new IOException("broken disk");
            }
            int count = (int) Math.min(target.remaining(), content.length - position);
            target.put(content, (int) position, count);
            bytesRead += count;
            reads++;
            return count;
        }

        @Override
        public long size() {
            return content.length;
        }

        @Override
        protected void implCloseChannel() {
            // Nothing is open.
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
}
