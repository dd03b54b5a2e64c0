package io.anneal.sstable.data;

import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Positional reads of a file, some way ahead, into one reused heap buffer. Owned by one thread; the channel may be shared. */
final class FileWindow {
    static final int READ_AHEAD_BYTES = 128 * 1024;

    private final Path file;
    private final FileChannel channel;
    private final long fileLengthBytes;
    private byte[] buffer;
    private ByteBuffer view;
    private long start;
    private int length;

    FileWindow(Path file, FileChannel channel, long fileLengthBytes) {
        this.file = file;
        this.channel = channel;
        this.fileLengthBytes = fileLengthBytes;
        allocate((int) Math.min(READ_AHEAD_BYTES, fileLengthBytes));
    }

    private void allocate(int capacityBytes) {
        buffer = new byte[capacityBytes];
        view = ByteBuffer.wrap(buffer);
    }

    byte[] array() {
        return buffer;
    }

    /** Makes {@code wantedBytes} from {@code position} on available and returns their offset in {@link #array()}. */
    int fetch(long position, int wantedBytes) throws IOException {
        if (position >= start && position + wantedBytes <= start + length) {
            return (int) (position - start);
        }
        if (position < 0 || wantedBytes < 0 || position + wantedBytes > fileLengthBytes) {
            throw new CorruptSSTableException(
                    file,
                    position,
                    "bytes lie behind the end of the file, wantedBytes=" + wantedBytes + ", fileLengthBytes="
                            + fileLengthBytes);
        }
        if (buffer.length < wantedBytes) {
            allocate(wantedBytes);
        }
        start = position;
        length = 0;
        view.clear().limit((int) Math.min(buffer.length, fileLengthBytes - position));
        while (length < wantedBytes) {
            int read = channel.read(view, position + length);
            if (read < 0) {
                throw new CorruptSSTableException(file, position + length, "file became shorter while it was read");
            }
            length += read;
        }
        return 0;
    }
}
