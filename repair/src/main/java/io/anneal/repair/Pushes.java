package io.anneal.repair;

import io.anneal.io.ByteWriter;
import io.anneal.repair.message.PushAnswer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What the followers are to get in one phase of a window: gathered into pieces, sent when a piece is full, at most one on the
 * way to each follower. The pieces of all followers take a row buffer together. Each answer has the follower's sums as they
 * are then, which go to {@link FollowerSums}. Belongs to the master's thread.
 */
final class Pushes {
    /** Encoded ghosts, and the index of the follower that sent them. */
    record Ghosts(int origin, byte[] items) {}

    private final List<Participant> followers;
    private final FollowerSums sums;
    private final RepairMeter meter;
    private final int pieceBytes;
    private final List<ByteWriter> pieces;
    /** By follower, one each. */
    private final Map<Integer, CompletableFuture<PushAnswer>> underWay = new HashMap<>();

    private final Deque<Ghosts> ghosts = new ArrayDeque<>();
    /** In what is sent next. */
    private final int[] items;

    /** Of the whole session. */
    private final long[] itemsGiven;

    /** @param itemsGiven counts what each follower is sent */
    Pushes(List<Participant> followers, int bufferBytes, FollowerSums sums, long[] itemsGiven, RepairMeter meter) {
        this.itemsGiven = itemsGiven;
        this.followers = followers;
        this.sums = sums;
        this.meter = meter;
        pieceBytes = Math.max(1, bufferBytes / followers.size());
        pieces = followers.stream().map(follower -> new ByteWriter(64)).toList();
        items = new int[followers.size()];
    }

    /** Items come in any order; what fills a piece is sent before more is gathered. */
    void add(int follower, byte[] array, int offset, int lengthBytes) throws IOException {
        ByteWriter piece = pieces.get(follower);
        if ((long) piece.lengthBytes() + lengthBytes > pieceBytes) {
            send(follower);
        }
        items[follower]++;
        if (lengthBytes > pieceBytes) {
            sendAlone(follower, array, offset, lengthBytes);
        } else {
            piece.writeBytes(array, offset, lengthBytes);
        }
    }

    void addForAllBut(int origin, byte[] array, int offset, int lengthBytes) throws IOException {
        for (int i = 0; i < followers.size(); i++) {
            if (i != origin) {
                add(i, array, offset, lengthBytes);
            }
        }
    }

    /** Sends what is left; the ghosts that all has been answered with. */
    Deque<Ghosts> finish() throws IOException {
        sendAll();
        return await();
    }

    void sendAll() throws IOException {
        for (int i = 0; i < followers.size(); i++) {
            send(i);
        }
    }

    /** The ghosts that all that was sent has been answered with. */
    Deque<Ghosts> await() throws IOException {
        for (int i = 0; i < followers.size(); i++) {
            answered(i);
        }
        return ghosts;
    }

    private void send(int follower) throws IOException {
        ByteWriter piece = pieces.get(follower);
        if (piece.lengthBytes() > 0) {
            answered(follower);
            push(follower, piece.toByteArray());
            piece.clear();
        }
    }

    /** No other is under way in the meantime. */
    private void sendAlone(int follower, byte[] array, int offset, int lengthBytes) throws IOException {
        answered(follower);
        boolean isAlone = lengthBytes == array.length;
        push(follower, isAlone ? array : Arrays.copyOfRange(array, offset, offset + lengthBytes));
        answered(follower);
    }

    private void push(int follower, byte[] sent) {
        meter.sent(items[follower], sent.length);
        itemsGiven[follower] += items[follower];
        items[follower] = 0;
        underWay.put(follower, followers.get(follower).push(sent));
    }

    private void answered(int follower) throws IOException {
        CompletableFuture<PushAnswer> asked = underWay.remove(follower);
        if (asked != null) {
            PushAnswer answer = meter.await(asked);
            sums.set(follower, answer.summary());
            if (answer.ghosts().length > 0) {
                ghosts.add(new Ghosts(follower, answer.ghosts()));
            }
        }
    }
}
