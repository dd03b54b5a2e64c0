package io.anneal.net;

import io.anneal.io.UnsupportedVersionException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Cuts the bytes of one connection into frames, on its event loop. A payload has a pooled buffer of its own length, so
 * that what waits occupies what it counts; nothing is allocated before header checksum and length bound hold. Where the
 * channel allows, a payload that is under way is read from the socket straight into its buffer, with the header that
 * follows it ({@link #destination}). After the first wrong byte everything that follows is dropped.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    private static final int SEEN_BYTES_MAX = 32;
    /** A shorter rest comes through a shared read, together with the frames behind it. */
    private static final int DIRECT_BYTES_MIN = 8 << 10;

    private static final byte[] MAGIC_BYTES =
            ByteBuffer.allocate(Integer.BYTES).putInt(FrameDescriptor.MAGIC).array();

    private final String peer;
    private final Traffic traffic;
    private final byte[] header = new byte[FrameDescriptor.HEADER_LENGTH_BYTES];
    private final ByteBuffer headerView = ByteBuffer.wrap(header);

    private int headerFilledBytes;
    /** Of the frame whose header is complete; room for the next header behind it. */
    private ByteBuf payload;

    private int payloadLengthBytes;
    private long framePosition;
    /** Bytes of the payload's buffer that are counted already. */
    private int countedBytes;

    private boolean proven;
    private boolean broken;

    FrameDecoder(String peer, Traffic traffic) {
        this.peer = peer;
        this.traffic = traffic;
    }

    /** The peer has proven itself: pieces of streams may come. */
    void proven() {
        proven = true;
    }

    /** Drops what comes from now on; the connection is being closed. */
    void stop() {
        broken = true;
        releasePayload();
    }

    private void releasePayload() {
        if (payload != null) {
            payload.release();
            payload = null;
        }
    }

    /** True if the peer has begun a frame that it has not finished. */
    boolean insideFrame() {
        return headerFilledBytes > 0;
    }

    /** True if the peer speaks this protocol: a whole frame has come. */
    boolean hasFrame() {
        return framePosition > 0;
    }

    /** The first bytes of the connection in hexadecimal, if no whole frame has come yet. */
    String seen() {
        return hasFrame() ? "a frame" : Text.hex(header, 0, headerFilledBytes);
    }

    /** The buffer that the next bytes of the socket belong into, retained for the caller, if it is worth a read of its own. */
    Optional<ByteBuf> destination() {
        boolean worthIt = payload != null && payloadLengthBytes - payload.writerIndex() >= DIRECT_BYTES_MIN;
        return worthIt ? Optional.of(payload.retain()) : Optional.empty();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (in == payload) {
                tookDirect(ctx);
            } else {
                traffic.received(in.readableBytes());
                while (!broken && in.isReadable()) {
                    decode(ctx, in);
                }
            }
        } catch (IOException wrong) {
            stop();
            ctx.fireExceptionCaught(wrong);
        } finally {
            in.release();
        }
    }

    /** The socket was read into the payload's buffer: the rest of it, and perhaps a part of the next header. */
    private void tookDirect(ChannelHandlerContext ctx) throws IOException {
        int filledBytes = payload.writerIndex();
        traffic.received(filledBytes - countedBytes);
        countedBytes = filledBytes;
        if (filledBytes < payloadLengthBytes) {
            return;
        }
        ByteBuf ahead = payload.slice(payloadLengthBytes, filledBytes - payloadLengthBytes);
        byte[] next = new byte[ahead.readableBytes()];
        ahead.readBytes(next);
        payload.writerIndex(payloadLengthBytes);
        finish(ctx);
        if (!broken && next.length > 0) {
            decode(ctx, Unpooled.wrappedBuffer(next));
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
            payloadLengthBytes = checkedPayloadLengthBytes();
            payload = allocate(ctx.alloc());
        }
        payload.writeBytes(in, Math.min(in.readableBytes(), payloadLengthBytes - payload.writerIndex()));
        countedBytes = payload.writerIndex();
        if (payload.writerIndex() == payloadLengthBytes) {
            finish(ctx);
        }
    }

    private ByteBuf allocate(ByteBufAllocator allocator) {
        if (payloadLengthBytes == 0) {
            return Unpooled.EMPTY_BUFFER;
        }
        int capacity = payloadLengthBytes < DIRECT_BYTES_MIN ? payloadLengthBytes : payloadLengthBytes + header.length;
        return allocator.directBuffer(capacity, capacity);
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
                    UnsupportedVersionException.Subject.PEER,
                    "frame of " + peer,
                    String.valueOf(version),
                    String.valueOf(FrameDescriptor.VERSION),
                    String.valueOf(FrameDescriptor.VERSION));
        }
        int flags = Byte.toUnsignedInt(header[FrameDescriptor.FLAGS_OFFSET]);
        if ((flags & ~FrameDescriptor.FLAGS_KNOWN) != 0) {
            throw corrupt("flag is not known, flags=" + flags);
        }
        if (header[FrameDescriptor.RESERVED_OFFSET] != 0) {
            throw corrupt(
                    "reserved byte is not zero, found=" + Byte.toUnsignedInt(header[FrameDescriptor.RESERVED_OFFSET]));
        }
        int lengthBytes = headerView.getInt(FrameDescriptor.PAYLOAD_LENGTH_OFFSET);
        int payloadBytesMax =
                proven ? FrameDescriptor.pieceBytesMax(flags) : FrameDescriptor.HANDSHAKE_PAYLOAD_BYTES_MAX;
        if (lengthBytes < 0 || lengthBytes > payloadBytesMax) {
            throw corrupt("payload length is out of bounds, lengthBytes=" + Integer.toUnsignedString(lengthBytes)
                    + ", max=" + payloadBytesMax);
        }
        return lengthBytes;
    }

    private void finish(ChannelHandlerContext ctx) throws IOException {
        int kindCode = Byte.toUnsignedInt(header[FrameDescriptor.KIND_OFFSET]);
        FrameKind kind = FrameKind.of(kindCode).orElseThrow(() -> corrupt("frame kind is not known, kind=" + kindCode));
        int flags = header[FrameDescriptor.FLAGS_OFFSET];
        boolean unchecked = (flags & FrameDescriptor.FLAG_UNCHECKED) != 0;
        if (unchecked && kind != FrameKind.DATA) {
            throw corrupt("frame has no checksum, kind=" + kind);
        }
        int expected = unchecked ? 0 : FrameDescriptor.checksum(payload.internalNioBuffer(0, payloadLengthBytes));
        int found = headerView.getInt(FrameDescriptor.PAYLOAD_CHECKSUM_OFFSET);
        if (found != expected) {
            throw corrupt("payload checksum is wrong, found=" + Integer.toHexString(found) + ", computed="
                    + Integer.toHexString(expected));
        }
        Frame frame = new Frame(
                kind,
                flags,
                headerView.getInt(FrameDescriptor.ARGUMENT_OFFSET),
                headerView.getLong(FrameDescriptor.STREAM_ID_OFFSET),
                payload,
                framePosition);

        framePosition += header.length + payloadLengthBytes;
        headerFilledBytes = 0;
        payload = null;
        ctx.fireChannelRead(frame);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        releasePayload();
    }

    private CorruptFrameException corrupt(String reason) {
        return new CorruptFrameException(peer, framePosition, reason);
    }
}
