package io.anneal.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file channel to read from: refuses what else one can do. */
abstract class ReadOnlyChannel extends FileChannel {
    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            int read = read(targets[i]);
            if (read < 0) {
                return total == 0 ? read : total;
            }
            total += read;
            if (targets[i].hasRemaining()) {
                break;
            }
        }
        return total;
    }

    @Override
    public int write(ByteBuffer source) {
        throw new NonWritableChannelException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new NonWritableChannelException();
    }

    @Override
    public int write(ByteBuffer source, long position) {
        throw new NonWritableChannelException();
    }

    @Override
    public FileChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public void force(boolean metaData) {
        // Nothing was written.
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw refused("transferTo");
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new NonWritableChannelException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw refused("map");
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw refused("lock");
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw refused("tryLock");
    }

    private static UnsupportedOperationException refused(String operation) {
        return new UnsupportedOperationException("file is read at positions only, operation=" + operation);
    }
}
