package io.anneal.bench.scenario;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;

/** What a commit log cannot do without: writes that move on in a file of full length, an fdatasync behind each. */
final class SyncLimit implements Closeable {
    private static final int FILE_BYTES = 8 * 1024 * 1024;

    private final FileChannel channel;
    private final LongSupplier nanoTime;

    private SyncLimit(FileChannel channel, LongSupplier nanoTime) {
        this.channel = channel;
        this.nanoTime = nanoTime;
    }

    /** Makes the file {@code sync-limit} in the directory, to be removed by whoever removes the directory. */
    static SyncLimit open(Path directory, LongSupplier nanoTime) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve("sync-limit"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            ByteBuffer zeros = ByteBuffer.allocateDirect(FILE_BYTES);
            while (zeros.hasRemaining()) {
                channel.write(zeros);
            }
            channel.force(true);
            return new SyncLimit(channel, nanoTime);
        } catch (IOException e) {
            try (channel) {
                throw e;
            }
        }
    }

    /**
     * How long each took.
     *
     * @param writeBytes at most the length of the file
     */
    long[] nanos(int writeBytes, int syncs) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(writeBytes);
        long[] nanos = new long[syncs];
        int position = 0;
        for (int i = 0; i < syncs; i++) {
            if (position + writeBytes > FILE_BYTES) {
                position = 0;
            }
            bytes.clear();
            long start = nanoTime.getAsLong();
            while (bytes.hasRemaining()) {
                channel.write(bytes, position + bytes.position());
            }
            channel.force(false);
            nanos[i] = nanoTime.getAsLong() - start;
            position += writeBytes;
        }
        return nanos;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
