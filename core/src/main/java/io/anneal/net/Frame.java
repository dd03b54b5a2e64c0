package io.anneal.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * One frame as it came, its checksums verified. Whoever takes the frame releases the payload, once.
 *
 * @param argument as {@link FrameDescriptor} says
 * @param payload  pooled; as on the wire
 * @param position of the frame's first byte in all that came over the connection
 */
record Frame(FrameKind kind, int flags, int argument, long streamId, ByteBuf payload, long position) {
    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    int lengthBytes() {
        return payload.readableBytes();
    }

    /** The payload's bytes, for the small frames of the connection itself. */
    byte[] bytes() {
        return ByteBufUtil.getBytes(payload);
    }

    void release() {
        payload.release();
    }
}
