package io.anneal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/** Data on its way out: bytes, a part of a file, or a part of a file that comes through a buffer. Belongs to the event loop. */
final class Outgoing {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    final boolean compressed;
    final FileChannel file;
    final FileCopy copy;
    final CompletableFuture<Void> done;
    ByteBuffer bytes;
    boolean isReading;
    long filePosition;
    long fileRemainingBytes;

    Outgoing(ByteBuffer bytes, boolean compressed, CompletableFuture<Void> done) {
        this(bytes, compressed, null, 0, 0, null, done);
    }

    Outgoing(FileChannel file, long position, long lengthBytes, CompletableFuture<Void> done) {
        this(EMPTY, false, file, position, lengthBytes, null, done);
    }

    Outgoing(FileCopy copy, CompletableFuture<Void> done) {
        this(EMPTY, false, null, 0, 0, copy, done);
    }

    private Outgoing(
            ByteBuffer bytes,
            boolean compressed,
            FileChannel file,
            long filePosition,
            long fileRemainingBytes,
            FileCopy copy,
            CompletableFuture<Void> done) {
        this.bytes = bytes;
        this.compressed = compressed;
        this.file = file;
        this.filePosition = filePosition;
        this.fileRemainingBytes = fileRemainingBytes;
        this.copy = copy;
        this.done = done;
    }

    /** What can be sent before more of a file is read. */
    long sendableBytes() {
        return file == null ? bytes.remaining() : fileRemainingBytes;
    }

    boolean isRead() {
        return copy == null || !isReading && copy.unreadBytes() == 0;
    }

    boolean isFileShorter() throws IOException {
        return file != null && file.size() < filePosition + fileRemainingBytes;
    }
}
