package io.anneal.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** Compresses what goes out and restores what came in, on the caller's thread; an event loop never does either. */
final class PayloadCodec {
    private static final int PLAIN_LENGTH_BYTES = Integer.BYTES;

    /** A part of what is to be sent; a compressed one is one piece of its stream. */
    record Block(ByteBuffer bytes, boolean compressed) {}

    private final String peer;
    private final boolean lz4;
    private final int compressionFromBytes;
    private final int blockBytes;

    PayloadCodec(String peer, Agreement agreement, NetConfig config) {
        this.peer = peer;
        this.lz4 = agreement.lz4();
        this.compressionFromBytes = config.compressionFromBytes();
        // Half of the first credit: a peer gives new credit when half a window is read, so a whole block always fits.
        this.blockBytes = Math.min(
                FrameDescriptor.PIECE_BYTES_MAX,
                agreement.peerInitialCreditBytes() / 2 - FrameDescriptor.PIECE_OVERHEAD_BYTES);
    }

    /** The most that always fits the credit; a compressed block is at most that long. */
    int blockBytes() {
        return blockBytes;
    }

    /** What to send for these bytes, which stay as they are; at least one block. */
    List<Block> blocks(ByteBuffer data) {
        if (!lz4 || data.remaining() < compressionFromBytes) {
            return List.of(new Block(data.slice(), false));
        }
        List<Block> blocks = new ArrayList<>();
        ByteBuffer rest = data.duplicate();
        while (rest.hasRemaining()) {
            int lengthBytes = Math.min(blockBytes, rest.remaining());
            ByteBuffer plain = rest.slice(rest.position(), lengthBytes);
            rest.position(rest.position() + lengthBytes);
            ByteBuffer block = compress(plain);
            boolean compressed = block.remaining() < lengthBytes;
            blocks.add(new Block(compressed ? block : plain, compressed));
        }
        return blocks;
    }

    private static ByteBuffer compress(ByteBuffer plain) {
        LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
        ByteBuffer block = ByteBuffer.allocate(PLAIN_LENGTH_BYTES + compressor.maxCompressedLength(plain.remaining()));
        block.putInt(plain.remaining());
        compressor.compress(plain.duplicate(), block);
        return block.flip();
    }

    /** The plain bytes of a block, which is not released. */
    ByteBuf plain(ByteBuf piece) throws CorruptFrameException {
        if (!lz4) {
            throw wrong("compressed piece was not agreed");
        }
        ByteBuffer block = piece.nioBuffer();
        int plainLengthBytes = block.remaining() < PLAIN_LENGTH_BYTES ? -1 : block.getInt();
        if (plainLengthBytes < 1 || plainLengthBytes > FrameDescriptor.PIECE_BYTES_MAX) {
            throw wrong("plain length is out of bounds, lengthBytes=" + plainLengthBytes + ", max="
                    + FrameDescriptor.PIECE_BYTES_MAX);
        }
        LZ4SafeDecompressor decompressor = LZ4Factory.fastestInstance().safeDecompressor();
        ByteBuffer plain = ByteBuffer.allocate(plainLengthBytes);
        try {
            decompressor.decompress(block, plain);
        } catch (LZ4Exception broken) {
            throw wrong("piece is not an LZ4 block, " + broken.getMessage());
        }
        if (plain.hasRemaining()) {
            throw wrong(
                    "piece is shorter than it says, lengthBytes=" + plain.position() + ", said=" + plainLengthBytes);
        }
        return Unpooled.wrappedBuffer(plain.flip());
    }

    private CorruptFrameException wrong(String reason) {
        return new CorruptFrameException(peer, 0, reason);
    }
}
