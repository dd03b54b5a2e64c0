package io.anneal.net;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/** Sends a part of a file through a buffer, for connections that cannot send files themselves. Reads on the executor. */
final class FileCopy {
    private static final int BUFFER_BYTES = 256 << 10;

    private final MultiplexedStream stream;
    private final FileChannel file;
    private final CompletableFuture<Void> done;
    private final ByteBuffer buffer;
    private long position;
    private long remainingBytes;

    FileCopy(
            MultiplexedStream stream, FileChannel file, long position, long lengthBytes, CompletableFuture<Void> done) {
        this.stream = stream;
        this.file = file;
        this.position = position;
        this.remainingBytes = lengthBytes;
        this.done = done;
        this.buffer = ByteBuffer.allocate((int) Math.min(BUFFER_BYTES, lengthBytes));
    }

    void start() {
        stream.runAside(this::copy);
    }

    private void copy() {
        if (remainingBytes == 0) {
            done.complete(null);
            return;
        }
        try {
            fill();
        } catch (IOException | RuntimeException failed) {
            stream.refuse(failed);
            done.completeExceptionally(failed);
            return;
        }
        stream.writeCopied(buffer).whenComplete((written, failed) -> {
            if (failed == null) {
                stream.runAside(this::copy);
            } else {
                done.completeExceptionally(failed);
            }
        });
    }

    private void fill() throws IOException {
        buffer.clear().limit((int) Math.min(buffer.capacity(), remainingBytes));
        while (buffer.hasRemaining()) {
            int count = file.read(buffer, position);
            if (count < 0) {
                throw new EOFException("file has become shorter while it was sent, position=" + position + ", lacking="
                        + remainingBytes);
            }
            position += count;
            remainingBytes -= count;
        }
        buffer.flip();
    }
}
