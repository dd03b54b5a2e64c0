package io.anneal.testkit;

import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * A channel to the ordinary file behind a node, which asks the disk before it does anything and tells it of each change. A
 * directory is opened for nothing but to be forced. Safe for any thread, as every file channel.
 */
final class FaultyChannel extends FileChannel {
    /** Whether there may be writes, and how they are done: at the end of the file, forced each. */
    record Mode(boolean writing, boolean appending, boolean forcing) {}

    private static final int TRANSFER_BYTES = 64 * 1024;

    private final FaultyFileSystem machine;
    private final Disk disk;
    private final DiskNode node;
    private final String name;
    private final FileChannel real;
    private final Mode mode;

    /** @param real without the mode, which is seen to here */
    FaultyChannel(FaultyFileSystem machine, DiskNode node, String name, FileChannel real, Mode mode) {
        this.machine = machine;
        this.disk = machine.disk();
        this.node = node;
        this.name = name;
        this.real = real;
        this.mode = mode;
    }

    DiskNode node() {
        return node;
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void admitRead() throws IOException {
        requireOpen();
        disk.admit(machine, Operation.READ, name);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        admitRead();
        return real.read(target);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        admitRead();
        return real.read(target, position);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        admitRead();
        return real.read(targets, offset, length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        synchronized (disk) {
            requireOpen();
            long position = mode.appending() ? real.size() : real.position();
            int written = write(source, position);
            real.position(position + written);
            return written;
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            total += write(sources[i]);
            if (sources[i].hasRemaining()) {
                break;
            }
        }
        return total;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        synchronized (disk) {
            requireOpen();
            if (!mode.writing() || !(node instanceof FileNode file) || !source.hasRemaining()) {
                return real.write(source, position);
            }
            long size = real.size();
            long end = position + source.remaining();
            int admitted = disk.admitWrite(machine, name, source.remaining(), Math.max(0, end - size));
            file.prepare();
            int written = real.write(source.slice(source.position(), admitted), position);
            disk.plan().take(Math.max(0, position + written - size));
            file.written(position, source.slice(source.position(), written));
            source.position(source.position() + written);
            if (mode.forcing()) {
                force(true);
            }
            return written;
        }
    }

    @Override
    public FileChannel truncate(long lengthBytes) throws IOException {
        synchronized (disk) {
            requireOpen();
            long before = real.size();
            if (mode.writing() && lengthBytes < before && node instanceof FileNode file) {
                disk.admit(machine, Operation.WRITE, name);
                file.prepare();
                real.truncate(lengthBytes);
                file.truncated(lengthBytes);
            } else {
                real.truncate(lengthBytes);
            }
            return this;
        }
    }

    @Override
    public void force(boolean metaData) throws IOException {
        requireOpen();
        disk.force(machine, node, name);
    }

    @Override
    public long position() throws IOException {
        requireOpen();
        return real.position();
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        requireOpen();
        real.position(newPosition);
        return this;
    }

    @Override
    public long size() throws IOException {
        requireOpen();
        return real.size();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        admitRead();
        return real.transferTo(position, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, TRANSFER_BYTES));
        long total = 0;
        while (total < count) {
            buffer.clear().limit((int) Math.min(count - total, TRANSFER_BYTES));
            if (source.read(buffer) <= 0) {
                break;
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                total += write(buffer, position + total);
            }
        }
        return total;
    }

    /** For reading, or privately; what is written through memory would pass the disk by. */
    @Override
    public MappedByteBuffer map(MapMode mapMode, long position, long size) throws IOException {
        if (mapMode == MapMode.READ_WRITE) {
            throw new UnsupportedOperationException("file cannot be mapped for writing, file=" + name);
        }
        admitRead();
        return real.map(mapMode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
        requireOpen();
        return new Lock(real.lock(position, size, shared));
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        requireOpen();
        FileLock lock = real.tryLock(position, size, shared);
        return lock == null ? null : new Lock(lock);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        disk.closed(this);
        real.close();
    }

    private final class Lock extends FileLock {
        private final FileLock lock;

        Lock(FileLock lock) {
            super(FaultyChannel.this, lock.position(), lock.size(), lock.isShared());
            this.lock = lock;
        }

        @Override
        public boolean isValid() {
            return lock.isValid();
        }

        @Override
        public void release() throws IOException {
            lock.release();
        }
    }
}
