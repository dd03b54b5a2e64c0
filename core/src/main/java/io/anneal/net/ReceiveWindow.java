package io.anneal.net;

import io.anneal.io.ByteBudget;
import java.util.function.BooleanSupplier;

/**
 * What the peer may send ahead on one stream, reserved in the budget: at first the initial credit, then a fair window that
 * grows and shrinks with the number of streams. Belongs to the event loop, but for what is consumed, which any thread tells.
 */
final class ReceiveWindow {
    private final ByteBudget budget;
    private final int initialCreditBytes;
    private final int windowBytesMax;
    private final BooleanSupplier hasEnd;

    private long receivedBytes;
    private long grantedBytes;
    private long consumedBytes;

    /** Reserved in the budget; bounds what the peer may send ahead. Read by those who consume. */
    private volatile long heldBytes;

    private final Object consumedLock = new Object();
    private long unreportedBytes;

    /**
     * @param heldBytes the initial credit, reserved in the budget; or 0 for a stream that fails at once
     * @param hasEnd whether the last piece is here; asked by any thread
     */
    ReceiveWindow(ByteBudget budget, NetLimits limits, int heldBytes, BooleanSupplier hasEnd) {
        this.budget = budget;
        this.initialCreditBytes = limits.initialCreditBytes();
        this.windowBytesMax = limits.windowBytesMax();
        this.heldBytes = heldBytes;
        this.hasEnd = hasEnd;
        this.grantedBytes = initialCreditBytes;
    }

    /** Whether the initial credit could be reserved. */
    boolean hasMemory() {
        return heldBytes > 0;
    }

    /** What the peer may still send. */
    long allowedBytes() {
        return grantedBytes - receivedBytes;
    }

    boolean isUnused() {
        return receivedBytes == 0;
    }

    boolean isConsumed() {
        return consumedBytes == receivedBytes;
    }

    void received(int costBytes) {
        receivedBytes += costBytes;
    }

    /** Any thread says what it has consumed; true when it is time to {@link #takeConsumed}. */
    boolean consumed(int bytes) {
        synchronized (consumedLock) {
            unreportedBytes += bytes;
            // Half a window at once; every byte once the end is here, for the stream is done with the last. Asked under
            // the lock: whoever sees no end yet has its bytes taken when the end comes.
            return hasEnd.getAsBoolean() || 2 * unreportedBytes >= heldBytes;
        }
    }

    void takeConsumed() {
        synchronized (consumedLock) {
            consumedBytes += unreportedBytes;
            unreportedBytes = 0;
        }
    }

    /** Takes as much credit for the peer as the window has room for. */
    int grant() {
        long outstandingBytes = grantedBytes - consumedBytes;
        fit(outstandingBytes);
        assert outstandingBytes >= 0 && outstandingBytes <= heldBytes : outstandingBytes;
        int grantBytes = (int) (heldBytes - outstandingBytes);
        grantedBytes += grantBytes;
        return grantBytes;
    }

    private void fit(long outstandingBytes) {
        long targetBytes = budget.fairBytes(initialCreditBytes, windowBytesMax);
        if (targetBytes > heldBytes && budget.tryReserveSpare(targetBytes - heldBytes)) {
            heldBytes = targetBytes;
        } else if (targetBytes < heldBytes) {
            long keptBytes = Math.max(targetBytes, outstandingBytes);
            budget.release(heldBytes - keptBytes);
            heldBytes = keptBytes;
        }
    }

    /** Gives the memory back. */
    void close() {
        budget.release(heldBytes);
        heldBytes = 0;
        budget.leave();
    }
}
