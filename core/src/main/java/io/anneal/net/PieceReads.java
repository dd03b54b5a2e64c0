package io.anneal.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Gives the socket the buffer of the payload that is under way, if there is one, so that its bytes are copied once, by the
 * kernel; otherwise a buffer for as many small frames as fit.
 */
final class PieceReads extends DefaultMaxMessagesRecvByteBufAllocator {
    private static final int READS_MAX = 8;

    private final FrameDecoder decoder;

    PieceReads(FrameDecoder decoder) {
        super(READS_MAX);
        this.decoder = decoder;
    }

    @Override
    @SuppressWarnings("deprecation") // The only type that the channel takes.
    public Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                return decoder.destination().orElseGet(() -> allocator.ioBuffer(guess()));
            }

            @Override
            public int guess() {
                return FrameDescriptor.FRAME_BYTES_MAX;
            }
        };
    }
}
