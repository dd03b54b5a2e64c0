package io.anneal.commitlog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A file that takes few bytes at a time, and fails when its disk says so. Does what a log's segment needs and no more. */
final class FailingChannel extends FileChannel {
    private final FileChannel channel;
    private final Disk disk;

    /** What all channels of a log have in common. */
    static final class Disk {
        int writeMaxBytes = Integer.MAX_VALUE;
        long freeBytes = Long.MAX_VALUE;
        boolean syncFails;
        boolean takesNothing;
        int syncs;

        FileChannel open(Path file) throws IOException {
            return new FailingChannel(CommitLog.OPENER.open(file), this);
        }
    }

    private FailingChannel(FileChannel channel, Disk disk) {
        this.channel = channel;
        this.disk = disk;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        if (disk.takesNothing) {
            return 0;
        }
        if (disk.freeBytes == 0) {
            throw new IOException("disk is full");
        }
        int part = (int) Math.min(source.remaining(), Math.min(disk.writeMaxBytes, disk.freeBytes));
        int written = channel.write(source.slice().limit(part), position);
        source.position(source.position() + written);
        disk.freeBytes -= written;
        return written;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        if (disk.syncFails) {
            throw new IOException("disk is broken");
        }
        disk.syncs++;
        channel.force(metaData);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        channel.close();
    }

    private static UnsupportedOperationException unexpected() {
        return new UnsupportedOperationException("a log does not do this");
    }

    @Override
    public int read(ByteBuffer target) {
        throw unexpected();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw unexpected();
    }

    @Override
    public int write(ByteBuffer source) {
        throw unexpected();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw unexpected();
    }

    @Override
    public long position() {
        throw unexpected();
    }

    @Override
    public FileChannel position(long newPosition) {
        throw unexpected();
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public FileChannel truncate(long size) {
        throw unexpected();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw unexpected();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw unexpected();
    }

    @Override
    public int read(ByteBuffer target, long position) {
        throw unexpected();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw unexpected();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw unexpected();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw unexpected();
    }
}
