package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.repair.message.Phase;
import io.anneal.repair.row.ItemCodec;
import java.util.Arrays;

/** What a follower sends must be what it was asked for, each hash once, or it is told by name. One thread. */
final class ExpectedItems {
    private final Participant follower;
    private final Phase phase;
    private final long[] wanted;
    private final long[] hashes;
    private int count;

    /** @param wanted hashes, sorted */
    ExpectedItems(Participant follower, Phase phase, long[] wanted) {
        this.follower = follower;
        this.phase = phase;
        this.wanted = wanted;
        hashes = new long[wanted.length];
    }

    /** @param item a view to read with */
    void requireKinds(byte[] items, EncodedItem item) throws CorruptItemException, RepairException {
        for (int at = 0; at < items.length; at = item.endOffset()) {
            item.wrap(items, at, items.length);
            if (ItemCodec.isDeletion(item) != (phase == Phase.DELETIONS)) {
                throw notAsked("another kind, kind=" + item.kind());
            }
        }
    }

    void came(long hash) {
        if (count < hashes.length) {
            hashes[count] = hash;
        }
        count++;
    }

    void requireAll() throws RepairException {
        Arrays.sort(hashes);
        if (count != hashes.length || !Arrays.equals(hashes, wanted)) {
            throw notAsked("wanted=" + wanted.length + ", sent=" + count);
        }
    }

    private RepairException notAsked(String facts) {
        return new RepairException(
                "replica did not send what it listed, replica=" + follower.name() + ", phase=" + phase + ", " + facts);
    }
}
