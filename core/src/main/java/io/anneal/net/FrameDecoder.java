package io.anneal.net;

import io.anneal.io.UnsupportedVersionException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Cuts the bytes of one connection into frames, on its event loop. Payloads go from the socket's buffer straight into
 * the array that the handler gets; nothing is allocated before header checksum and length bound hold. After the first
 * wrong byte everything that follows is dropped.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    private static final int SEEN_BYTES_MAX = 32;
    private static final byte[] MAGIC_BYTES =
            ByteBuffer.allocate(Integer.BYTES).putInt(FrameDescriptor.MAGIC).array();

    private final String peer;
    private final Traffic traffic;
    private final byte[] header = new byte[FrameDescriptor.HEADER_LENGTH_BYTES];
    private final ByteBuffer headerView = ByteBuffer.wrap(header);

    private int headerFilledBytes;
    private byte[] payload;
    private int payloadFilledBytes;
    private int payloadBytesMax = FrameDescriptor.HANDSHAKE_PAYLOAD_BYTES_MAX;
    private long framePosition;
    private boolean broken;

    FrameDecoder(String peer, Traffic traffic) {
        this.peer = peer;
        this.traffic = traffic;
    }

    void payloadBytesMax(int value) {
        payloadBytesMax = value;
    }

    /** Drops what comes from now on; the connection is being closed. */
    void stop() {
        broken = true;
        payload = null;
    }

    /** True if the peer has begun a frame that it has not finished. */
    boolean insideFrame() {
        return headerFilledBytes > 0;
    }

    /** The first bytes of the connection in hexadecimal, if no whole frame has come yet. */
    String seen() {
        return framePosition > 0 ? "a frame" : Text.hex(header, 0, headerFilledBytes);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            traffic.received(in.readableBytes());
            while (!broken && in.isReadable()) {
                decode(ctx, in);
            }
        } catch (IOException wrong) {
            stop();
            ctx.fireExceptionCaught(wrong);
        } finally {
            in.release();
        }
    }

    private void decode(ChannelHandlerContext ctx, ByteBuf in) throws IOException {
        if (payload == null) {
            int lengthBytes = Math.min(in.readableBytes(), header.length - headerFilledBytes);
            in.readBytes(header, headerFilledBytes, lengthBytes);
            headerFilledBytes += lengthBytes;
            checkMagic(in);
            if (headerFilledBytes < header.length) {
                return;
            }
            payload = new byte[checkedPayloadLengthBytes()];
            payloadFilledBytes = 0;
        }
        int lengthBytes = Math.min(in.readableBytes(), payload.length - payloadFilledBytes);
        in.readBytes(payload, payloadFilledBytes, lengthBytes);
        payloadFilledBytes += lengthBytes;
        if (payloadFilledBytes == payload.length) {
            Frame frame = finish();
            ctx.fireChannelRead(frame);
        }
    }

    /** As early as the first byte, because a peer of another protocol may send one line and then wait. */
    private void checkMagic(ByteBuf in) throws IOException {
        for (int i = 0; i < Math.min(headerFilledBytes, MAGIC_BYTES.length); i++) {
            if (header[i] != MAGIC_BYTES[i]) {
                throw framePosition == 0 ? notAnneal(in) : corrupt("magic is wrong, seen=" + Text.hex(header, 0, 4));
            }
        }
    }

    private PeerException notAnneal(ByteBuf in) {
        byte[] seen = new byte[Math.min(headerFilledBytes + in.readableBytes(), SEEN_BYTES_MAX)];
        System.arraycopy(header, 0, seen, 0, Math.min(headerFilledBytes, seen.length));
        if (seen.length > headerFilledBytes) {
            in.getBytes(in.readerIndex(), seen, headerFilledBytes, seen.length - headerFilledBytes);
        }
        if (TlsLink.isTls(seen)) {
            return TlsLink.unexpected(peer, seen);
        }
        return new PeerException(
                peer,
                Handshake.STEP,
                PeerException.NOT_ANNEAL,
                "peer does not speak the anneal protocol, seen=" + Text.hex(seen, 0, seen.length));
    }

    private int checkedPayloadLengthBytes() throws IOException {
        int expected = FrameDescriptor.headerChecksum(headerView);
        int found = headerView.getInt(FrameDescriptor.HEADER_CHECKSUM_OFFSET);
        if (found != expected) {
            throw corrupt("header checksum is wrong, found=" + Integer.toHexString(found) + ", computed="
                    + Integer.toHexString(expected));
        }
        int version = Byte.toUnsignedInt(header[FrameDescriptor.VERSION_OFFSET]);
        if (version != FrameDescriptor.VERSION) {
            throw new UnsupportedVersionException(
                    "frame of " + peer,
                    String.valueOf(version),
                    String.valueOf(FrameDescriptor.VERSION),
                    String.valueOf(FrameDescriptor.VERSION));
        }
        int flags = Byte.toUnsignedInt(header[FrameDescriptor.FLAGS_OFFSET]);
        if ((flags & ~FrameDescriptor.FLAGS_KNOWN) != 0) {
            throw corrupt("flag is not known, flags=" + flags);
        }
        int streamType = Byte.toUnsignedInt(header[FrameDescriptor.STREAM_TYPE_OFFSET]);
        if (streamType != FrameDescriptor.STREAM_TYPE_REQUEST) {
            throw corrupt("stream type is not known, type=" + streamType);
        }
        int lengthBytes = headerView.getInt(FrameDescriptor.PAYLOAD_LENGTH_OFFSET);
        if (lengthBytes < 0 || lengthBytes > payloadBytesMax) {
            throw corrupt("payload length is out of bounds, lengthBytes=" + Integer.toUnsignedString(lengthBytes)
                    + ", max=" + payloadBytesMax);
        }
        return lengthBytes;
    }

    private Frame finish() throws IOException {
        int expected = FrameDescriptor.checksum(ByteBuffer.wrap(payload));
        int found = headerView.getInt(FrameDescriptor.PAYLOAD_CHECKSUM_OFFSET);
        if (found != expected) {
            throw corrupt("payload checksum is wrong, found=" + Integer.toHexString(found) + ", computed="
                    + Integer.toHexString(expected));
        }
        int kindCode = Byte.toUnsignedInt(header[FrameDescriptor.KIND_OFFSET]);
        FrameKind kind = FrameKind.of(kindCode).orElseThrow(() -> corrupt("frame kind is not known, kind=" + kindCode));
        Frame frame = new Frame(
                kind,
                header[FrameDescriptor.FLAGS_OFFSET],
                headerView.getInt(FrameDescriptor.VERB_OFFSET),
                headerView.getLong(FrameDescriptor.STREAM_ID_OFFSET),
                payload,
                framePosition);

        framePosition += header.length + payload.length;
        headerFilledBytes = 0;
        payload = null;
        return frame;
    }

    private CorruptFrameException corrupt(String reason) {
        return new CorruptFrameException(peer, framePosition, reason);
    }
}
