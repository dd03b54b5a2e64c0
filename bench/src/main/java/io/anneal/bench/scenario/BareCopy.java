package io.anneal.bench.scenario;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Bytes from one process to another by a blocking socket and nothing else: no frames, no checksums, no credits. */
final class BareCopy {
    private BareCopy() {}

    /** Returns when the receiver has said that it has read them all. */
    static void send(SocketChannel socket, long totalBytes, int bufferBytes) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        ByteBuffer order = ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(totalBytes)
                .putInt(bufferBytes)
                .flip();
        writeAll(socket, order);
        ByteBuffer buffer = ByteBuffer.allocateDirect(bufferBytes);
        for (long sentBytes = 0; sentBytes < totalBytes; ) {
            buffer.clear().limit((int) Math.min(bufferBytes, totalBytes - sentBytes));
            sentBytes += buffer.remaining();
            writeAll(socket, buffer);
        }
        readAll(socket, ByteBuffer.allocate(1));
    }

    /** The other end of one {@link #send}. */
    static void receive(SocketChannel socket) throws IOException {
        ByteBuffer order = ByteBuffer.allocate(Long.BYTES + Integer.BYTES);
        readAll(socket, order);
        order.flip();
        long leftBytes = order.getLong();
        ByteBuffer buffer = ByteBuffer.allocateDirect(order.getInt());
        while (leftBytes > 0) {
            int lengthBytes = socket.read(buffer.clear());
            if (lengthBytes < 0) {
                throw new EOFException("the sender is gone, leftBytes=" + leftBytes);
            }
            leftBytes -= lengthBytes;
        }
        writeAll(socket, ByteBuffer.allocate(1));
    }

    private static void writeAll(SocketChannel socket, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
    }

    private static void readAll(SocketChannel socket, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (socket.read(bytes) < 0) {
                throw new EOFException("the other end of the bare copy is gone");
            }
        }
    }
}
