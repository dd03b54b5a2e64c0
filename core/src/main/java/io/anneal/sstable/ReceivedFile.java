package io.anneal.sstable;

import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/**
 * A file that comes from elsewhere, from its beginning to its end, and is checked against what was announced. One thread at a
 * time.
 */
public final class ReceivedFile implements IncomingBytes, Closeable {
    private static final int BUFFER_BYTES = 128 << 10;

    private final Path file;
    private final FileContent expected;
    private final FileChannel channel;
    private final CRC32 crc = new CRC32();
    private volatile long position;

    private ReceivedFile(Path file, FileContent expected, FileChannel channel) {
        this.file = file;
        this.expected = expected;
        this.channel = channel;
    }

    static ReceivedFile create(Path file, FileContent expected, OutputFile.Opener opener) throws StorageException {
        try {
            return new ReceivedFile(file, expected, opener.open(file));
        } catch (IOException e) {
            throw new StorageException("create", file, e);
        }
    }

    /**
     * Goes on with a file of which so much is right; all of that is read, since its checksum is not known any more.
     *
     * @throws CorruptSSTableException when the file is shorter
     */
    static ReceivedFile reopen(Path file, FileContent expected, long position) throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new StorageException("open", file, e);
        }
        ReceivedFile received = new ReceivedFile(file, expected, channel);
        boolean opened = false;
        try {
            received.readUpTo(position);
            opened = true;
            return received;
        } finally {
            if (!opened) {
                channel.close();
            }
        }
    }

    private void readUpTo(long end) throws IOException {
        if (end > expected.lengthBytes() || channel.size() < end) {
            throw new CorruptSSTableException(
                    file, channel.size(), "file that was kept is not as long as was noted, noted=" + end);
        }
        channel.truncate(end);
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        while (position < end) {
            int count = channel.read(buffer.clear(), position);
            crc.update(buffer.flip());
            position += count;
        }
        channel.position(end);
    }

    /** Makes what is there last; returns how much that is. */
    long sync() throws StorageException {
        // An interrupt closes a channel.
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
            open.force(true);
        } catch (IOException e) {
            throw StorageException.ofFailedSync(file, e);
        }
        return position;
    }

    @Override
    public long position() {
        return position;
    }

    public long missingBytes() {
        return expected.lengthBytes() - position;
    }

    /** {@inheritDoc} When they are more than was announced none of them is written. */
    @Override
    public void append(ByteBuffer bytes) throws IOException {
        int lengthBytes = bytes.remaining();
        if (lengthBytes > missingBytes()) {
            throw new CorruptSSTableException(
                    file,
                    position,
                    "file is longer than was announced, lengthBytes=" + expected.lengthBytes() + ", excessBytes="
                            + (lengthBytes - missingBytes()));
        }
        int start = bytes.position();
        crc.update(bytes);
        bytes.position(start);
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (ClosedByInterruptException e) {
            InterruptedIOException interrupted = new InterruptedIOException("writing was interrupted, file=" + file);
            interrupted.initCause(e);
            throw interrupted;
        } catch (IOException e) {
            throw new StorageException("write", file, e);
        }
        position += lengthBytes;
    }

    /** @throws CorruptSSTableException when it is not what was announced */
    void complete() throws IOException {
        if (missingBytes() > 0) {
            throw new CorruptSSTableException(
                    file, position, "file is shorter than was announced, lengthBytes=" + expected.lengthBytes());
        }
        if ((int) crc.getValue() != expected.crc32()) {
            throw new CorruptSSTableException(
                    file,
                    CorruptSSTableException.NO_POSITION,
                    "file is not what was announced, crc32=" + Integer.toHexString((int) crc.getValue())
                            + ", announced=" + Integer.toHexString(expected.crc32()));
        }
        try {
            channel.force(true);
            channel.close();
        } catch (IOException e) {
            throw StorageException.ofFailedSync(file, e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
