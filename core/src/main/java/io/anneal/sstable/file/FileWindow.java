package io.anneal.sstable.file;

import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Positional reads of a file into one reused heap buffer. Reads further ahead the longer it is read in order, and nothing
 * ahead after a jump, which a point read would pay for. Owned by one thread; the channel may be shared.
 */
final class FileWindow {
    static final int READ_AHEAD_BYTES = 128 * 1024;

    private static final int READ_AHEAD_MIN_BYTES = 16 * 1024;

    private final Path file;
    private final FileChannel channel;
    private final long fileLengthBytes;
    private final int readAheadMinBytes;
    private byte[] buffer = {};
    private ByteBuffer view = ByteBuffer.wrap(buffer);
    private long start;
    private int length;
    private int readAheadBytes;

    FileWindow(Path file, FileChannel channel, long fileLengthBytes) {
        this(file, channel, fileLengthBytes, READ_AHEAD_MIN_BYTES);
    }

    /** @param readAheadMinBytes what reading ahead begins with */
    FileWindow(Path file, FileChannel channel, long fileLengthBytes, int readAheadMinBytes) {
        this.file = file;
        this.channel = channel;
        this.fileLengthBytes = fileLengthBytes;
        this.readAheadMinBytes = readAheadMinBytes;
        readAheadBytes = readAheadMinBytes;
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
        boolean inOrder = position >= start && position <= start + length;
        readAheadBytes = inOrder ? Math.min(2 * readAheadBytes, READ_AHEAD_BYTES) : readAheadMinBytes;
        int readBytes = (int)
                Math.min(inOrder ? Math.max(wantedBytes, readAheadBytes) : wantedBytes, fileLengthBytes - position);
        if (buffer.length < readBytes) {
            buffer = new byte[readBytes];
            view = ByteBuffer.wrap(buffer);
        }
        start = position;
        length = 0;
        view.clear().limit(readBytes);
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
