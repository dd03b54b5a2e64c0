package io.anneal.net;

import io.anneal.io.ByteBudget;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A message as it comes in, piece by piece; its memory is reserved before it is allocated. One thread at a time. */
final class MessageBuffer implements PieceConsumer {
    private static final byte[] NOTHING = new byte[0];

    private final ByteBudget budget;
    private final int bytesMax;
    private byte[] bytes = NOTHING;
    private int lengthBytes;
    private long reservedBytes;
    private boolean beyond;

    MessageBuffer(ByteBudget budget, int bytesMax) {
        this.budget = budget;
        this.bytesMax = bytesMax;
    }

    @Override
    public void accept(ByteBuffer piece) throws RequestException {
        int pieceBytes = piece.remaining();
        if (pieceBytes > bytesMax - lengthBytes) {
            throw new RequestException(
                    PeerException.MESSAGE_TOO_LARGE, "message is longer than is taken, maxBytes=" + bytesMax);
        }
        int neededBytes = lengthBytes + pieceBytes;
        if (neededBytes > bytes.length) {
            long doubled = lengthBytes == 0 ? neededBytes : Math.max(neededBytes, 2L * bytes.length);
            int capacity = (int) Math.min(doubled, bytesMax);
            reserve(capacity - bytes.length);
            bytes = Arrays.copyOf(bytes, capacity);
        }
        piece.get(bytes, lengthBytes, pieceBytes);
        lengthBytes = neededBytes;
    }

    private void reserve(int growthBytes) throws RequestException {
        if (beyond) {
            return;
        }
        if (budget.tryReserve(growthBytes)) {
            reservedBytes += growthBytes;
        } else if (budget.tryGoBeyond()) {
            beyond = true;
        } else {
            throw new RequestException(
                    PeerException.BUSY,
                    "no memory for a message now, try again later, budgetBytes=" + budget.totalBytes());
        }
    }

    ByteBuffer content() {
        return ByteBuffer.wrap(bytes, 0, lengthBytes).slice();
    }

    /** The message is somebody else's now, or nobody's. */
    void release() {
        budget.release(reservedBytes);
        reservedBytes = 0;
        if (beyond) {
            beyond = false;
            budget.comeBack();
        }
    }
}
