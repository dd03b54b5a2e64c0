package io.anneal.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads a file whoever is interrupted. The platform closes a file channel when a thread is interrupted that reads from it, and
 * with that takes it from all the others that share it: then this one opens the file again and reads on. The thread stays
 * interrupted. The file must stay where it is as long as it is read.
 */
final class LastingChannel extends ReadOnlyChannel {
    private final Path file;
    private volatile FileChannel channel;

    private LastingChannel(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    static LastingChannel open(Path file) throws IOException {
        return new LastingChannel(file, openChannel(file));
    }

    private static FileChannel openChannel(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ);
    }

    FileChannel current() {
        return channel;
    }

    private interface Attempt {
        long on(FileChannel current) throws IOException;
    }

    private long lasting(Attempt attempt) throws IOException {
        return Uninterrupted.<Long, IOException>call(() -> {
            while (true) {
                FileChannel current = channel;
                try {
                    return attempt.on(current);
                } catch (ClosedByInterruptException e) {
                    replace(current, e);
                    throw e;
                } catch (ClosedChannelException e) {
                    // Another thread that shares it was interrupted.
                    replace(current, e);
                }
            }
        });
    }

    /** Unless somebody else was faster. */
    private void replace(FileChannel gone, ClosedChannelException reason) throws IOException {
        synchronized (this) {
            if (!isOpen()) {
                throw reason;
            }
            if (channel == gone) {
                channel = openChannel(file);
            }
        }
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int start = target.position();
        try {
            // As it goes nearly always: without a closure.
            return channel.read(target, position);
        } catch (ClosedChannelException e) {
            return (int) lasting(current -> readNamed(current, target.position(start), position));
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
    }

    /** The platform does not say which file it could not read. */
    private int readNamed(FileChannel current, ByteBuffer target, long position) throws IOException {
        try {
            return current.read(target, position);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
    }

    @Override
    public int read(ByteBuffer target) {
        throw new UnsupportedOperationException("file is read at positions only, file=" + file);
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException("file is read at positions only, file=" + file);
    }

    @Override
    public FileChannel position(long newPosition) {
        throw new UnsupportedOperationException("file is read at positions only, file=" + file);
    }

    @Override
    public long size() throws IOException {
        return lasting(FileChannel::size);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        synchronized (this) {
            channel.close();
        }
    }
}
