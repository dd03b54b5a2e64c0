package io.anneal.net;

import io.anneal.net.SimulatedFaults.Cut;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;

/**
 * One direction of a connection. Everything arrives in the order in which it was sent: bytes, their acknowledgements, the
 * end. While the way is down it is kept, and sent again afterwards; only a reset is lost then, as TCP sends it once.
 */
final class SimulatedPipe {
    private static final long SENT_AGAIN_MAX_NANOS = 200_000_000;

    private record Parcel(Runnable arrival, boolean sentAgain) {}

    private final SimulatedLink link;
    private final SimulatedTime time;
    private final Deque<Parcel> parcels = new ArrayDeque<>();

    private SimulatedPipe reverse;
    private SimulatedChannel sender;
    private SimulatedChannel receiver;
    private long sentBytes;
    private long takenBytes;
    private long lastArrivalNanos;
    private int keptParcels;
    private boolean ended;
    private boolean dead;

    private SimulatedPipe(SimulatedLink link) {
        this.link = link;
        this.time = link.time();
    }

    /** The direction from a channel that is going to connect; the other one is its reverse. */
    static SimulatedPipe pair(SimulatedChannel client, SimulatedLink there, SimulatedLink back) {
        SimulatedPipe forth = new SimulatedPipe(there);
        forth.reverse = new SimulatedPipe(back);
        forth.reverse.reverse = forth;
        forth.sender = client;
        forth.reverse.receiver = client;
        there.add(forth);
        back.add(forth.reverse);
        return forth;
    }

    /** The other end is there. */
    void accepted(SimulatedChannel server) {
        receiver = server;
        reverse.sender = server;
    }

    SimulatedPipe reverse() {
        return reverse;
    }

    /** How many bytes the sender may write now. */
    int roomBytes() {
        return (int) Math.max(0, link.faults().bufferBytes() - (sentBytes - takenBytes));
    }

    void send(byte[] bytes) {
        assert bytes.length <= roomBytes() : "more is sent than there is room";
        long offset = sentBytes;
        sentBytes += bytes.length;
        if (ended) {
            return;
        }
        int goingBytes = link.bytesBeforeCut(offset, bytes.length);
        byte[] going = goingBytes == bytes.length ? bytes : Arrays.copyOf(bytes, goingBytes);
        link.corrupt(offset, going);
        if (going.length > 0) {
            carry(going.length, true, () -> deliver(going));
        }
        if (goingBytes < bytes.length) {
            ended = true;
            Cut kind = link.faults().cut();
            carry(0, true, () -> cut(kind));
        }
    }

    private void deliver(byte[] bytes) {
        time.mix(Arrays.hashCode(bytes));
        if (receiver == null || !receiver.isOpen()) {
            reverse.reset();
        } else {
            receiver.arrived(bytes);
        }
    }

    /** No bytes follow. */
    void end() {
        if (!ended) {
            ended = true;
            carry(0, true, () -> {
                if (receiver != null) {
                    receiver.endArrived();
                }
            });
        }
    }

    /** Tells the receiver that the connection is of no use any more. */
    void reset() {
        ended = true;
        carry(0, false, () -> {
            if (receiver != null) {
                receiver.reset();
            }
        });
    }

    /** The receiver has read bytes, which makes room for as many. */
    void taken(int lengthBytes) {
        reverse.carry(0, true, () -> {
            takenBytes += lengthBytes;
            sender.roomCame();
        });
    }

    /** Takes something to the other end. */
    void carry(int lengthBytes, boolean sentAgain, Runnable arrival) {
        if (dead) {
            return;
        }
        parcels.add(new Parcel(arrival, sentAgain));
        lastArrivalNanos = Math.max(lastArrivalNanos, link.arrivalNanos(lengthBytes));
        time.at(lastArrivalNanos, this::arrive);
    }

    private void arrive() {
        if (dead || parcels.isEmpty()) {
            return;
        }
        if (link.isDown() || keptParcels > 0) {
            keptParcels++;
            return;
        }
        parcels.remove().arrival().run();
    }

    /** The way is back. */
    void sendAgain() {
        int lost = 0;
        Iterator<Parcel> kept = parcels.iterator();
        for (int i = 0; i < keptParcels; i++) {
            if (!kept.next().sentAgain()) {
                kept.remove();
                lost++;
            }
        }
        int again = keptParcels - lost;
        keptParcels = 0;
        long arrivalNanos = link.arrivalNanos(0) + time.random().nextLong(SENT_AGAIN_MAX_NANOS);
        lastArrivalNanos = Math.max(lastArrivalNanos, arrivalNanos);
        for (int i = 0; i < again; i++) {
            time.at(arrivalNanos, this::arrive);
        }
    }

    /** Ends the connection at once; in this direction's sense, sender and receiver are told or not. */
    void cut(Cut kind) {
        if (dead) {
            return;
        }
        forget();
        if (kind != Cut.SILENT && sender != null) {
            sender.reset();
        }
        if (kind == Cut.RESET && receiver != null) {
            receiver.reset();
        }
    }

    /** Nothing arrives any more, in either direction. */
    private void forget() {
        kill();
        reverse.kill();
    }

    private void kill() {
        dead = true;
        parcels.clear();
        link.remove(this);
    }

    /** One end has closed; once both have, nothing needs the connection. */
    void closed() {
        boolean senderClosed = sender == null || !sender.isOpen();
        boolean receiverClosed = receiver == null || !receiver.isOpen();
        if (senderClosed && receiverClosed) {
            forget();
        }
    }
}
