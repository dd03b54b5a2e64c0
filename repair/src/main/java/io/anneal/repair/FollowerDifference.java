package io.anneal.repair;

import io.anneal.repair.hashes.HashDifference;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.Wanted;
import io.anneal.repair.message.WindowSummary;
import java.util.List;
import java.util.Optional;

/**
 * In what a follower's items of a window differ from the master's, and how to ask for them. Followers with the same sum
 * share one. Owned by the master's thread.
 */
final class FollowerDifference {
    private final WindowSummary.Sum sum;
    /** All that the follower has, where it was listed. */
    private final Optional<HashList> list;

    /** Empty until all has come, where nothing was asked for before. */
    private Optional<HashDifference> hashes;

    private FollowerDifference(WindowSummary.Sum sum, Optional<HashList> list, Optional<HashDifference> hashes) {
        this.sum = sum;
        this.list = list;
        this.hashes = hashes;
    }

    static FollowerDifference of(WindowSummary.Sum sum, HashDifference hashes) {
        return new FollowerDifference(sum, Optional.empty(), Optional.of(hashes));
    }

    static FollowerDifference listed(WindowSummary.Sum sum, HashList master, HashList follower) {
        return new FollowerDifference(
                sum, Optional.of(follower), Optional.of(HashDifference.between(master, follower)));
    }

    /** The master has nothing: all that the follower has is wanted, and known once it has come. */
    static FollowerDifference whole(WindowSummary.Sum sum) {
        return new FollowerDifference(sum, Optional.empty(), Optional.empty());
    }

    /** Of all items of the follower. */
    WindowSummary.Sum sum() {
        return sum;
    }

    boolean isKnown() {
        return hashes.isPresent();
    }

    /** What the follower has, of which nothing was known. */
    void came(HashList all) {
        hashes = Optional.of(new HashDifference(all, HashList.EMPTY));
    }

    private HashDifference hashes() {
        return hashes.orElseThrow();
    }

    /** What the follower has and the master has not. */
    HashList extra() {
        return hashes().extra();
    }

    /** What the master has and the follower has not. */
    HashList lacking() {
        return hashes().lacking();
    }

    int size() {
        return hashes().size();
    }

    /** Whether the follower has an item, of which the caller says whether the master had it. */
    boolean has(long hash, boolean masterHas) {
        return hashes().followerHas(hash, masterHas);
    }

    /** How to ask for some of its items. */
    Wanted wanted(HashList some) {
        return list.isPresent() ? Wanted.of(some, list.get()) : Wanted.of(some, sum.count());
    }

    /** What the master has and not every follower. */
    static HashList lackingAnywhere(List<FollowerDifference> differences) {
        HashList all = HashList.EMPTY;
        for (FollowerDifference difference : differences.stream().distinct().toList()) {
            all = all.with(difference.lacking());
        }
        return all;
    }
}
