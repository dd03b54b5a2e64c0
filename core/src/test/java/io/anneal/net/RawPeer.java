package io.anneal.net;

import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** A peer on a plain socket that can say anything, right or wrong. Reads give up after 20 seconds. */
final class RawPeer implements AutoCloseable {
    final Socket socket;
    private final DataInputStream in;

    RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(20_000);
        this.in = new DataInputStream(socket.getInputStream());
    }

    static RawPeer connect(InetSocketAddress address) throws IOException {
        return new RawPeer(new Socket(address.getAddress(), address.getPort()));
    }

    /** From another address of this machine. */
    static RawPeer connect(InetSocketAddress address, InetAddress from) throws IOException {
        return new RawPeer(new Socket(address.getAddress(), address.getPort(), from, 0));
    }

    void shakeHands(Handshake.Role role, NetConfig config) throws IOException {
        Handshake handshake = new Handshake(role, config, new SecureRandom(), "raw");
        if (role == Handshake.Role.CLIENT) {
            send(bytesOf(FrameKind.HELLO, 0, 0, handshake.helloBytes()));
            handshake.accept(read());
            send(bytesOf(FrameKind.PROOF, 0, 0, handshake.proof()));
            handshake.verify(read());
        } else {
            handshake.accept(read());
            send(bytesOf(FrameKind.HELLO, 0, 0, handshake.helloBytes()));
            handshake.verify(read());
            send(bytesOf(FrameKind.PROOF, 0, 0, handshake.proof()));
        }
    }

    static byte[] bytesOf(FrameKind kind, int argument, long streamId, byte[] payload) {
        return bytesOf(kind, 0, argument, streamId, payload);
    }

    static byte[] bytesOf(FrameKind kind, int flags, int argument, long streamId, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.HEADER_LENGTH_BYTES + payload.length);
        int checksum = FrameDescriptor.checksum(ByteBuffer.wrap(payload));
        FrameDescriptor.putHeader(frame, kind, flags, argument, streamId, payload.length, checksum);
        return frame.put(payload).array();
    }

    static byte[] repeated(byte[] frame, int count) {
        byte[] frames = new byte[frame.length * count];
        for (int i = 0; i < count; i++) {
            System.arraycopy(frame, 0, frames, i * frame.length, frame.length);
        }
        return frames;
    }

    /** Makes the header checksum fit after a test has changed a field. */
    static byte[] resealed(byte[] frame) {
        ByteBuffer view = ByteBuffer.wrap(frame);
        view.putInt(FrameDescriptor.HEADER_CHECKSUM_OFFSET, FrameDescriptor.headerChecksum(view));
        return frame;
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    Frame read() throws IOException {
        byte[] header = new byte[FrameDescriptor.HEADER_LENGTH_BYTES];
        in.readFully(header);
        ByteBuffer view = ByteBuffer.wrap(header);
        byte[] payload = new byte[view.getInt(FrameDescriptor.PAYLOAD_LENGTH_OFFSET)];
        in.readFully(payload);
        return new Frame(
                FrameKind.of(header[FrameDescriptor.KIND_OFFSET]).orElseThrow(),
                header[FrameDescriptor.FLAGS_OFFSET],
                view.getInt(FrameDescriptor.ARGUMENT_OFFSET),
                view.getLong(FrameDescriptor.STREAM_ID_OFFSET),
                Unpooled.wrappedBuffer(payload),
                0);
    }

    Report readReport() throws IOException {
        return Report.decode("raw", read());
    }

    /** Waits until the other side has ended its direction. */
    void awaitEnd() throws IOException {
        while (in.read() >= 0) {}
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
