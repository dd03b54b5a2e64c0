package io.anneal.net;

import java.time.Duration;

/**
 * How the way from one host of a {@link SimulatedNetwork} to another treats the bytes of each connection. Offsets count the
 * bytes of one connection in this direction, from 0.
 *
 * @param delayMin          the shortest time from one host to the other
 * @param delayMax          the longest one; bytes of one connection never overtake each other
 * @param bytesPerSecond    what all connections on this way share; 0 for no limit
 * @param bufferBytes       what a sender may have written and the receiver not read: both socket buffers and the way
 * @param cutOffset         where each connection is cut: bytes before it arrive; -1 for nowhere
 * @param cutChance         the probability, for each byte, that the connection is cut before it
 * @param cut               what the ends of a connection that is cut learn of it
 * @param corruptedOffset   the byte that arrives with one bit flipped; -1 for none
 * @param corruptedChance   the probability, for each byte, that it arrives with one bit flipped
 */
public record SimulatedFaults(
        Duration delayMin,
        Duration delayMax,
        long bytesPerSecond,
        int bufferBytes,
        long cutOffset,
        double cutChance,
        Cut cut,
        long corruptedOffset,
        double corruptedChance) {

    /** What the ends of a connection learn when it is cut. */
    public enum Cut {
        /** Both ends are told that it was reset. */
        RESET,
        /** The sender is told, the receiver never: to it, nothing comes any more. */
        HALF_OPEN,
        /** Nobody is told: nothing comes any more at either end. */
        SILENT
    }

    /** None: 20 to 200 microseconds, no limit, buffers of 256 KiB. */
    public static final SimulatedFaults NONE = new SimulatedFaults(
            Duration.ofNanos(20_000), Duration.ofNanos(200_000), 0, 256 << 10, -1, 0, Cut.RESET, -1, 0);

    public SimulatedFaults {
        boolean delayInOrder = !delayMin.isNegative() && delayMin.compareTo(delayMax) <= 0;
        boolean chancesInOrder = cutChance >= 0 && cutChance < 1 && corruptedChance >= 0 && corruptedChance < 1;
        if (!delayInOrder
                || !chancesInOrder
                || bytesPerSecond < 0
                || bufferBytes < 1
                || cutOffset < -1
                || corruptedOffset < -1) {
            throw new IllegalArgumentException("fault is out of bounds, delayMin=" + delayMin + ", delayMax=" + delayMax
                    + ", bytesPerSecond=" + bytesPerSecond + ", bufferBytes=" + bufferBytes + ", cutOffset=" + cutOffset
                    + ", cutChance=" + cutChance + ", corruptedOffset=" + corruptedOffset + ", corruptedChance="
                    + corruptedChance);
        }
    }

    public SimulatedFaults withDelay(Duration min, Duration max) {
        return new SimulatedFaults(
                min, max, bytesPerSecond, bufferBytes, cutOffset, cutChance, cut, corruptedOffset, corruptedChance);
    }

    public SimulatedFaults withBytesPerSecond(long value) {
        return new SimulatedFaults(
                delayMin, delayMax, value, bufferBytes, cutOffset, cutChance, cut, corruptedOffset, corruptedChance);
    }

    public SimulatedFaults withBufferBytes(int value) {
        return new SimulatedFaults(
                delayMin, delayMax, bytesPerSecond, value, cutOffset, cutChance, cut, corruptedOffset, corruptedChance);
    }

    /** Cuts each connection at this offset, or at its next byte if it is beyond. */
    public SimulatedFaults withCut(long offset, Cut kind) {
        return new SimulatedFaults(
                delayMin,
                delayMax,
                bytesPerSecond,
                bufferBytes,
                offset,
                cutChance,
                kind,
                corruptedOffset,
                corruptedChance);
    }

    public SimulatedFaults withCutChance(double eachByte, Cut kind) {
        return new SimulatedFaults(
                delayMin,
                delayMax,
                bytesPerSecond,
                bufferBytes,
                cutOffset,
                eachByte,
                kind,
                corruptedOffset,
                corruptedChance);
    }

    public SimulatedFaults withCorruptedByte(long offset) {
        return new SimulatedFaults(
                delayMin, delayMax, bytesPerSecond, bufferBytes, cutOffset, cutChance, cut, offset, corruptedChance);
    }

    public SimulatedFaults withCorruptedChance(double eachByte) {
        return new SimulatedFaults(
                delayMin, delayMax, bytesPerSecond, bufferBytes, cutOffset, cutChance, cut, corruptedOffset, eachByte);
    }
}
