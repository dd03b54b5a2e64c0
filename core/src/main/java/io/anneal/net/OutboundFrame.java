package io.anneal.net;

import java.nio.ByteBuffer;

/**
 * One frame on its way out; the event loop consumes header and payload as it copies them to the socket's buffers.
 *
 * @param lengthBytes header and payload, before anything is consumed
 * @param onWritten   run on the event loop once the socket has taken the last byte; not run if it never does
 */
record OutboundFrame(ByteBuffer header, ByteBuffer payload, int lengthBytes, Runnable onWritten) {
    static final Runnable NOTHING = () -> {};
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    static OutboundFrame of(
            FrameKind kind, int flags, int verb, long streamId, ByteBuffer payload, Runnable onWritten) {
        ByteBuffer own = payload.duplicate();
        ByteBuffer header = FrameDescriptor.header(kind, flags, verb, streamId, own);
        return new OutboundFrame(header, own, header.remaining() + own.remaining(), onWritten);
    }

    static OutboundFrame control(FrameKind kind, ByteBuffer payload) {
        return of(kind, 0, 0, 0, payload, NOTHING);
    }

    static OutboundFrame control(FrameKind kind) {
        return control(kind, EMPTY);
    }

    int remainingBytes() {
        return header.remaining() + payload.remaining();
    }

    boolean started() {
        return header.position() > 0;
    }
}
