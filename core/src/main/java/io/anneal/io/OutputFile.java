package io.anneal.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A new file that is appended to through a buffer. Every failure is a {@link StorageException} that names the file. Owned by
 * one thread.
 */
public final class OutputFile implements Closeable {
    /** Opens the channel of a new file; tests put failing ones in its place. */
    public interface Opener {
        FileChannel open(Path file) throws IOException;
    }

    /** Creates the file, which must not exist. */
    public static final Opener CREATE_NEW =
            file -> PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private static final int BUFFER_BYTES = 64 * 1024;

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private long position;

    private OutputFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    public static OutputFile open(Path file, Opener opener) throws StorageException {
        try {
            return new OutputFile(file, opener.open(file));
        } catch (IOException e) {
            throw new StorageException("create", file, e);
        }
    }

    /** Bytes appended so far. */
    public long position() {
        return position;
    }

    public Path file() {
        return file;
    }

    public void write(byte[] source, int offset, int lengthBytes) throws StorageException {
        position += lengthBytes;
        int at = offset;
        int left = lengthBytes;
        while (left > 0) {
            if (!buffer.hasRemaining()) {
                flush();
            }
            int part = Math.min(left, buffer.remaining());
            buffer.put(source, at, part);
            at += part;
            left -= part;
        }
    }

    /** Appends what the writer holds; it is the caller's to clear. */
    public void write(ByteWriter source) throws StorageException {
        write(source.array(), 0, source.lengthBytes());
    }

    private void flush() throws StorageException {
        buffer.flip();
        try {
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        } catch (IOException e) {
            throw new StorageException("write", file, e);
        }
        buffer.clear();
    }

    /** Writes what is buffered and forces it to the disk. */
    public void sync() throws StorageException {
        flush();
        try {
            channel.force(true);
        } catch (IOException e) {
            throw StorageException.ofFailedSync(file, e);
        }
    }

    /** Releases the channel; what was not synced may be lost. */
    @Override
    public void close() throws StorageException {
        try {
            channel.close();
        } catch (IOException e) {
            throw new StorageException("close", file, e);
        }
    }
}
