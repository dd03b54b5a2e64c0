package io.anneal.net;

import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** Compresses what goes out and restores what came in, on the caller's thread; an event loop never does either. */
final class PayloadCodec {
    private static final int PLAIN_LENGTH_BYTES = Integer.BYTES;

    private final String peer;
    private final boolean lz4;
    private final int compressionFromBytes;
    private final int payloadBytesMax;

    PayloadCodec(String peer, Agreement agreement, NetConfig config) {
        this.peer = peer;
        this.lz4 = agreement.lz4();
        this.compressionFromBytes = config.compressionFromBytes();
        this.payloadBytesMax = config.limits().payloadBytesMax();
    }

    OutboundFrame encode(FrameKind kind, int verb, long streamId, ByteBuffer payload, Runnable onWritten) {
        if (lz4 && payload.remaining() >= compressionFromBytes) {
            ByteBuffer block = compress(payload);
            if (block.remaining() < payload.remaining()) {
                return OutboundFrame.of(kind, FrameDescriptor.FLAG_LZ4, verb, streamId, block, onWritten);
            }
        }
        return OutboundFrame.of(kind, 0, verb, streamId, payload, onWritten);
    }

    private static ByteBuffer compress(ByteBuffer payload) {
        LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
        ByteBuffer block =
                ByteBuffer.allocate(PLAIN_LENGTH_BYTES + compressor.maxCompressedLength(payload.remaining()));
        block.putInt(payload.remaining());
        compressor.compress(payload.duplicate(), block);
        return block.flip();
    }

    ByteBuffer decode(Frame frame) throws CorruptFrameException {
        ByteBuffer payload = ByteBuffer.wrap(frame.payload());
        return frame.compressed() ? decompress(frame, payload) : payload;
    }

    private ByteBuffer decompress(Frame frame, ByteBuffer block) throws CorruptFrameException {
        if (!lz4) {
            throw new CorruptFrameException(peer, frame.position(), "compressed payload was not agreed");
        }
        int plainLengthBytes = block.remaining() < PLAIN_LENGTH_BYTES ? -1 : block.getInt();
        if (plainLengthBytes < 0 || plainLengthBytes > payloadBytesMax) {
            throw new CorruptFrameException(
                    peer,
                    frame.position(),
                    "plain length is out of bounds, lengthBytes=" + plainLengthBytes + ", max=" + payloadBytesMax);
        }
        LZ4SafeDecompressor decompressor = LZ4Factory.fastestInstance().safeDecompressor();
        ByteBuffer plain = ByteBuffer.allocate(plainLengthBytes);
        try {
            decompressor.decompress(block, plain);
        } catch (LZ4Exception broken) {
            throw new CorruptFrameException(
                    peer, frame.position(), "payload is not an LZ4 block, " + broken.getMessage());
        }
        if (plain.hasRemaining()) {
            throw new CorruptFrameException(
                    peer,
                    frame.position(),
                    "payload is shorter than said, lengthBytes=" + plain.position() + ", said=" + plainLengthBytes);
        }
        return plain.flip();
    }
}
