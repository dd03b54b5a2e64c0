package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.Wanted;
import io.anneal.repair.message.Phase;
import java.util.Arrays;
import java.util.Optional;

/** Checks that a follower sends what it was asked for, each hash once; a failure names the follower. One thread. */
final class ExpectedItems {
    private final Participant follower;
    private final Phase phase;
    private final FollowerDifference difference;
    /** Empty where all is wanted that the follower has, and only its sum is known. */
    private final Optional<HashList> hashes;

    private final Wanted wanted;
    private boolean wasAsked;
    private long[] came = new long[64];
    private int count;
    private int countBefore;
    /** What came, once that is all. */
    private HashList all = HashList.EMPTY;

    /** @param hashes some of what the follower has and the master has not */
    ExpectedItems(Participant follower, Phase phase, FollowerDifference difference, HashList hashes) {
        this(follower, phase, difference, Optional.of(hashes));
    }

    /** All that the follower has. */
    ExpectedItems(Participant follower, Phase phase, FollowerDifference difference) {
        this(follower, phase, difference, Optional.empty());
    }

    private ExpectedItems(Participant follower, Phase phase, FollowerDifference difference, Optional<HashList> hashes) {
        this.follower = follower;
        this.phase = phase;
        this.difference = difference;
        this.hashes = hashes;
        wanted = hashes.map(difference::wanted).orElse(Wanted.ALL);
    }

    Participant follower() {
        return follower;
    }

    Wanted wanted() {
        return wanted;
    }

    /** How to ask for what has not come yet: the hashes go over the wire once. */
    Wanted next() {
        Wanted next = wasAsked ? Wanted.AS_BEFORE : wanted;
        wasAsked = true;
        return next;
    }

    /** What is wanted, where it is known. */
    HashList wantedHashes() {
        return hashes.orElseThrow();
    }

    /** How many items are wanted. */
    long wantedCount() {
        return hashes.map(list -> (long) list.size()).orElse(holderCount());
    }

    /** How many items the follower has. */
    long holderCount() {
        return difference.sum().count();
    }

    /** How many of them have come. */
    int cameCount() {
        return count;
    }

    boolean isComplete() {
        return count == wantedCount();
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

    /** Of one answer: something came, and nothing that was not wanted. */
    void requireWanted() throws RepairException {
        boolean strange = false;
        for (int i = countBefore; hashes.isPresent() && i < count; i++) {
            strange |= !hashes.get().contains(came[i]);
        }
        if (count == countBefore || count > wantedCount() || strange) {
            throw notAsked("wanted=" + wantedCount() + ", sent=" + count);
        }
        countBefore = count;
        if (isComplete()) {
            requireEachOnce();
        }
    }

    private void requireEachOnce() throws RepairException {
        all = HashList.of(Arrays.copyOf(came, count));
        if (all.hasDuplicates()
                || all.sum()
                        != hashes.map(HashList::sum).orElse(difference.sum().low())) {
            throw notAsked("wanted=" + wantedCount() + ", sent=" + count);
        }
    }

    /** Once all has come: what the follower has, if it was not known. */
    void tell() {
        if (hashes.isEmpty()) {
            difference.came(all);
        }
    }

    /** What came could not be received where the follower said it holds it. */
    RepairException refused(RepairException cause) {
        return new RepairException(notAsked(cause.getMessage()).getMessage(), cause);
    }

    RepairException noItem(CorruptItemException cause) {
        return noItem(follower, cause);
    }

    static RepairException noItem(Participant follower, CorruptItemException cause) {
        return new RepairException("replica sent what is no item, replica=" + follower.name(), cause);
    }

    private RepairException notAsked(String facts) {
        return new RepairException(
                "replica did not send what it listed, replica=" + follower.name() + ", phase=" + phase + ", " + facts);
    }
}
