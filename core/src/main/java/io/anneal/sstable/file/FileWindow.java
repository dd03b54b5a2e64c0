package io.anneal.sstable.file;

import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Positional reads of a file into one reused heap buffer. Reads further ahead the longer it is read in order, and nothing
 * ahead after a jump, which a point read would pay for. Who goes back a little goes back again, block by block, each read
 * in order: then it reads further back each time, and keeps what was there. Owned by one thread; the channel may be shared.
 *
 * <pre>
 *   in order            | given up          | read ahead   |
 *   against it    | read back |  kept             | given up |
 * </pre>
 */
final class FileWindow {
    static final int READ_AHEAD_BYTES = 128 * 1024;
    /** A block of the default size with its last row, in chunks of the default length, whether or not they are compressed. */
    static final int READ_BACK_BYTES = 96 * 1024;

    private static final int READ_AHEAD_MIN_BYTES = 16 * 1024;

    private final Path file;
    private final FileChannel channel;
    private final long fileLengthBytes;
    /** What reading ahead begins with. */
    private final int readAheadMinBytes;
    /** How far it goes back at most but for a jump. */
    private final int readBackBytes;

    private byte[] buffer = {};
    private ByteBuffer view = ByteBuffer.wrap(buffer);
    private long start;
    private int length;
    private int readAheadBytes;

    /** For reading on and on. */
    FileWindow(Path file, FileChannel channel, long fileLengthBytes) {
        this(file, channel, fileLengthBytes, READ_AHEAD_MIN_BYTES, READ_BACK_BYTES);
    }

    /** For searching: what is looked at next lies anywhere. */
    static FileWindow forLookup(Path file, FileChannel channel, long fileLengthBytes, int readAheadMinBytes) {
        return new FileWindow(file, channel, fileLengthBytes, readAheadMinBytes, 0);
    }

    private FileWindow(Path file, FileChannel channel, long fileLengthBytes, int readAheadMinBytes, int readBackBytes) {
        this.readBackBytes = readBackBytes;
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
        if (position < start && start - position <= readBackBytes) {
            readBack(position);
            if (position + wantedBytes <= start + length) {
                return (int) (position - start);
            }
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
        length = read(position, wantedBytes, readBytes);
        return 0;
    }

    /** Reads what lies before the window, from a position on at the latest, and keeps the front of what is there. */
    private void readBack(long position) throws IOException {
        readAheadBytes = Math.min(2 * readAheadBytes, readBackBytes);
        long begin = Math.max(0, Math.min(position, start - readAheadBytes));
        int back = (int) (start - begin);
        int kept = Math.min(length, readBackBytes);
        byte[] from = buffer;
        if (buffer.length < back + kept) {
            buffer = new byte[back + kept];
            view = ByteBuffer.wrap(buffer);
        }
        System.arraycopy(from, 0, buffer, back, kept);
        // Until all of it is there nothing is.
        length = 0;
        read(begin, back, back);
        start = begin;
        length = back + kept;
    }

    /** Returns how much was read: so much at least, and so much at most. */
    private int read(long position, int leastBytes, int mostBytes) throws IOException {
        view.clear().limit(mostBytes);
        int readBytes = 0;
        while (readBytes < leastBytes) {
            int count = channel.read(view, position + readBytes);
            if (count < 0) {
                throw new CorruptSSTableException(file, position + readBytes, "file became shorter while it was read");
            }
            readBytes += count;
        }
        return readBytes;
    }
}
