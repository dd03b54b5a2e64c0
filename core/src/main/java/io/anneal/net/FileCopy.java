package io.anneal.net;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A part of a file on its way through a buffer, for connections that cannot send files themselves. */
final class FileCopy {
    private static final int BUFFER_BYTES = 256 << 10;

    private final FileChannel file;
    private final ByteBuffer buffer;
    private long position;
    private long unreadBytes;

    FileCopy(FileChannel file, long position, long lengthBytes) {
        this.file = file;
        this.position = position;
        this.unreadBytes = lengthBytes;
        this.buffer = ByteBuffer.allocate((int) Math.min(BUFFER_BYTES, lengthBytes));
    }

    /** What no buffer has held yet; not while one is filled. */
    long unreadBytes() {
        return unreadBytes;
    }

    /** Reads on; the bytes that it gave before are gone then. Not on an event loop. */
    ByteBuffer next() throws IOException {
        buffer.clear().limit((int) Math.min(buffer.capacity(), unreadBytes));
        while (buffer.hasRemaining()) {
            int count = file.read(buffer, position);
            if (count < 0) {
                throw new EOFException(
                        "file has become shorter while it was sent, position=" + position + ", lacking=" + unreadBytes);
            }
            position += count;
            unreadBytes -= count;
        }
        return buffer.flip();
    }
}
