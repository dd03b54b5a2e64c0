package io.anneal.net;

import io.anneal.io.ByteBudget;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntSupplier;

/**
 * A message as it comes in, piece by piece; its memory is reserved before it is allocated. One that says its length is
 * reserved and allocated once; another one grows. One thread at a time.
 */
final class MessageBuffer implements PieceConsumer {
    private static final byte[] NOTHING = new byte[0];

    private final ByteBudget budget;
    private final int bytesMax;
    private final int coveredBytes;
    private final IntSupplier saidBytes;
    private byte[] bytes = NOTHING;
    private int lengthBytes;
    private long reservedBytes;
    private boolean beyond;

    /**
     * @param coveredBytes that are reserved by others as long as the message comes in
     * @param saidBytes    the length that the message says of itself, known with the first piece; or 0
     */
    MessageBuffer(ByteBudget budget, int bytesMax, int coveredBytes, IntSupplier saidBytes) {
        this.budget = budget;
        this.bytesMax = bytesMax;
        this.coveredBytes = coveredBytes;
        this.saidBytes = saidBytes;
    }

    @Override
    public void accept(ByteBuffer piece) throws RequestException {
        int pieceBytes = piece.remaining();
        long neededBytes = (long) lengthBytes + pieceBytes;
        int said = saidBytes.getAsInt();
        requireTaken(Math.max(neededBytes, said));
        if (said > 0 && neededBytes > said) {
            throw notAsSaid("message is longer than it said", said);
        }
        if (neededBytes > bytes.length) {
            allocate(capacity((int) neededBytes, said));
        }
        piece.get(bytes, lengthBytes, pieceBytes);
        lengthBytes += pieceBytes;
    }

    private void requireTaken(long messageBytes) throws RequestException {
        if (messageBytes > bytesMax) {
            throw new RequestException(
                    PeerException.MESSAGE_TOO_LARGE,
                    "message is longer than is taken, lengthBytes=" + messageBytes + ", maxBytes=" + bytesMax);
        }
    }

    private int capacity(int neededBytes, int said) {
        if (said > 0 || lengthBytes == 0) {
            return Math.max(said, neededBytes);
        }
        return (int) Math.min(Math.max(neededBytes, 2L * bytes.length), bytesMax);
    }

    private void allocate(int capacityBytes) throws RequestException {
        reserve(Math.max(0, capacityBytes - coveredBytes) - reservedBytes);
        try {
            bytes = Arrays.copyOf(bytes, capacityBytes);
        } catch (OutOfMemoryError full) {
            // Of one large array: nothing else has failed, and others go on.
            throw busy("the heap has no room for a message now, try again later, lengthBytes=" + capacityBytes);
        }
    }

    private void reserve(long growthBytes) throws RequestException {
        if (beyond) {
            return;
        }
        if (budget.tryReserve(growthBytes)) {
            reservedBytes += growthBytes;
        } else if (budget.tryGoBeyond()) {
            beyond = true;
        } else {
            throw busy("no memory for a message now, try again later, growthBytes=" + growthBytes);
        }
    }

    private RequestException busy(String reason) {
        return new RequestException(PeerException.BUSY, reason + ", budgetBytes=" + budget.totalBytes());
    }

    /** @throws RequestException when the message is shorter than it said */
    void requireWhole() throws RequestException {
        int said = saidBytes.getAsInt();
        if (lengthBytes < said) {
            throw notAsSaid("message is shorter than it said", said);
        }
    }

    private RequestException notAsSaid(String reason, int said) {
        return new RequestException(
                PeerException.MALFORMED, reason + ", saidBytes=" + said + ", lengthBytes=" + lengthBytes);
    }

    ByteBuffer content() {
        return ByteBuffer.wrap(bytes, 0, lengthBytes).slice();
    }

    byte[] bytes() {
        return lengthBytes == bytes.length ? bytes : Arrays.copyOf(bytes, lengthBytes);
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
