package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.repair.message.Phase;
import io.anneal.repair.row.HashList;
import io.anneal.repair.row.ItemCodec;
import java.util.Arrays;

/** What a follower sends must be what it was asked for, each hash once, or it is told by name. One thread. */
final class ExpectedItems {
    private final Participant follower;
    private final Phase phase;
    /** Sorted; what came is taken out. */
    private long[] wanted;

    private long[] came = new long[64];
    private int count;

    /** @param wanted hashes, sorted */
    ExpectedItems(Participant follower, Phase phase, long[] wanted) {
        this.follower = follower;
        this.phase = phase;
        this.wanted = wanted;
    }

    Participant follower() {
        return follower;
    }

    /** What did not come yet. */
    long[] wanted() {
        return wanted;
    }

    /** @param item a view to read with */
    void requireKinds(byte[] items, EncodedItem item) throws RepairException {
        try {
            for (int at = 0; at < items.length; at = item.endOffset()) {
                item.wrap(items, at, items.length);
                if (ItemCodec.isDeletion(item) != (phase == Phase.DELETIONS)) {
                    throw notAsked("another kind, kind=" + item.kind());
                }
            }
        } catch (CorruptItemException e) {
            throw noItem(e);
        }
    }

    /** No more than there was room for. */
    void requireRoom(byte[] items, int roomBytes) throws RepairException {
        if (items.length > roomBytes) {
            throw notAsked("bytes=" + items.length + ", roomBytes=" + roomBytes);
        }
    }

    void came(long hash) {
        if (count == came.length) {
            came = Arrays.copyOf(came, 2 * count);
        }
        came[count++] = hash;
    }

    /** Takes out what has come of one answer: something, and nothing that was not wanted. */
    void requireWanted() throws RepairException {
        HashList answer = HashList.of(Arrays.copyOf(came, count));
        long[] left = HashList.of(wanted).without(answer);
        if (count == 0 || left.length != wanted.length - count) {
            throw notAsked("wanted=" + wanted.length + ", sent=" + count);
        }
        wanted = left;
        count = 0;
    }

    /** What came could not be received where the follower said it holds it. */
    RepairException refused(RepairException cause) {
        return new RepairException(notAsked(cause.getMessage()).getMessage(), cause);
    }

    RepairException noItem(CorruptItemException cause) {
        return new RepairException("replica sent what is no item, replica=" + follower.name(), cause);
    }

    private RepairException notAsked(String facts) {
        return new RepairException(
                "replica did not send what it listed, replica=" + follower.name() + ", phase=" + phase + ", " + facts);
    }
}
