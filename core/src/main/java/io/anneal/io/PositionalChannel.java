package io.anneal.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;

/**
 * Positional reads over a channel that only has a position of its own: each moves it there, one thread at a time.
 */
final class PositionalChannel extends ReadOnlyChannel {
    private final SeekableByteChannel channel;

    PositionalChannel(SeekableByteChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        synchronized (channel) {
            long before = channel.position();
            int read = channel.position(position).read(target);
            channel.position(before);
            return read;
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        synchronized (channel) {
            return channel.read(target);
        }
    }

    @Override
    public long position() throws IOException {
        synchronized (channel) {
            return channel.position();
        }
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        synchronized (channel) {
            channel.position(newPosition);
        }
        return this;
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
        channel.close();
    }
}
