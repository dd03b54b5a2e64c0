package io.anneal.bench.scenario;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Files from one process to another: sendfile to a blocking socket, reads into a buffer, writes, one sync each. Nothing is checked. */
final class BareFileCopy {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int ORDER_BYTES = 4096;

    private BareFileCopy() {}

    /** Asks for one file after the other; returns when all are synced. */
    static void receive(InetSocketAddress address, List<Path> sources, Path target) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try (SocketChannel socket = SocketChannel.open(address)) {
            for (Path source : sources) {
                byte[] name = source.toString().getBytes(StandardCharsets.UTF_8);
                writeAll(
                        socket,
                        ByteBuffer.allocate(ORDER_BYTES)
                                .putInt(name.length)
                                .put(name)
                                .clear());
                receive(socket, target.resolve(source.getFileName().toString()), buffer);
            }
        }
    }

    private static void receive(SocketChannel socket, Path target, ByteBuffer buffer) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(Long.BYTES);
        readAll(socket, length);
        long leftBytes = length.flip().getLong();
        try (FileChannel file = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (leftBytes > 0) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), leftBytes));
                if (socket.read(buffer) < 0) {
                    throw new EOFException("the sender of the bare copy is gone, leftBytes=" + leftBytes);
                }
                leftBytes -= buffer.flip().remaining();
                while (buffer.hasRemaining()) {
                    file.write(buffer);
                }
            }
            file.force(true);
        }
    }

    /** The other end: answers until there are no more orders. */
    static void send(SocketChannel socket) throws IOException {
        ByteBuffer order = ByteBuffer.allocate(ORDER_BYTES);
        while (true) {
            readAll(socket, order.clear());
            byte[] name = new byte[order.flip().getInt()];
            order.get(name);
            try (FileChannel file = FileChannel.open(Path.of(new String(name, StandardCharsets.UTF_8)))) {
                long lengthBytes = file.size();
                writeAll(
                        socket,
                        ByteBuffer.allocate(Long.BYTES).putLong(lengthBytes).flip());
                for (long position = 0; position < lengthBytes; ) {
                    position += file.transferTo(position, lengthBytes - position, socket);
                }
            }
        }
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
