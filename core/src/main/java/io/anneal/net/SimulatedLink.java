package io.anneal.net;

import io.anneal.net.SimulatedFaults.Cut;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** The way from one host to another, with what goes wrong on it. */
final class SimulatedLink {
    private static final double NANOS_PER_SECOND = 1e9;

    private final SimulatedTime time;
    private final Set<SimulatedPipe> pipes = new LinkedHashSet<>();
    private SimulatedFaults faults;
    private boolean ownFaults;
    private boolean down;
    private long freeNanos;

    SimulatedLink(SimulatedTime time, SimulatedFaults faults) {
        this.time = time;
        this.faults = faults;
    }

    SimulatedTime time() {
        return time;
    }

    SimulatedFaults faults() {
        return faults;
    }

    void faults(SimulatedFaults value) {
        faults = value;
        ownFaults = true;
    }

    /** Faults of the whole network, for a way that has none of its own. */
    void commonFaults(SimulatedFaults value) {
        if (!ownFaults) {
            faults = value;
        }
    }

    boolean isDown() {
        return down;
    }

    void goDown() {
        down = true;
    }

    /** What was sent meanwhile is sent again, as TCP does. */
    void comeUp() {
        if (down) {
            down = false;
            List.copyOf(pipes).forEach(SimulatedPipe::sendAgain);
        }
    }

    void add(SimulatedPipe pipe) {
        pipes.add(pipe);
    }

    void remove(SimulatedPipe pipe) {
        pipes.remove(pipe);
    }

    /** Cuts the connections that there are; those ends are told that send in this direction. */
    void cut(Cut kind) {
        List.copyOf(pipes).forEach(pipe -> pipe.cut(kind));
    }

    long delayNanos() {
        long minNanos = faults.delayMin().toNanos();
        return minNanos + time.random().nextLong(faults.delayMax().toNanos() - minNanos + 1);
    }

    /** When so many bytes that are sent now are at the other host, if nothing is before them. */
    long arrivalNanos(int lengthBytes) {
        freeNanos = Math.max(freeNanos, time.nanos());
        if (faults.bytesPerSecond() > 0) {
            freeNanos += (long) (lengthBytes * NANOS_PER_SECOND / faults.bytesPerSecond());
        }
        return freeNanos + delayNanos();
    }

    /** How many of these bytes go before the connection is cut; all of them if it is not. */
    int bytesBeforeCut(long offset, int lengthBytes) {
        int byOffset = lengthBytes;
        if (faults.cutOffset() >= 0 && faults.cutOffset() < offset + lengthBytes) {
            byOffset = (int) Math.max(0, faults.cutOffset() - offset);
        }
        return Math.min(byOffset, firstHit(faults.cutChance(), lengthBytes));
    }

    void corrupt(long offset, byte[] bytes) {
        if (faults.corruptedOffset() >= offset && faults.corruptedOffset() < offset + bytes.length) {
            flipBit(bytes, (int) (faults.corruptedOffset() - offset));
        }
        int index = firstHit(faults.corruptedChance(), bytes.length);
        while (index < bytes.length) {
            flipBit(bytes, index);
            index += 1 + firstHit(faults.corruptedChance(), bytes.length - index - 1);
        }
    }

    private void flipBit(byte[] bytes, int index) {
        bytes[index] ^= (byte) (1 << time.random().nextInt(Byte.SIZE));
    }

    /** The first of so many trials that hits; their number if none does. */
    private int firstHit(double chance, int trials) {
        if (chance == 0 || trials == 0) {
            return trials;
        }
        SplittableRandom random = time.random();
        double misses = Math.floor(Math.log(1 - random.nextDouble()) / Math.log1p(-chance));
        return misses < trials ? (int) misses : trials;
    }
}
