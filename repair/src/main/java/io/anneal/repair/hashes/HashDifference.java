package io.anneal.repair.hashes;

/**
 * In what the hashes of a follower differ from the master's.
 *
 * @param extra what the follower has and the master has not
 * @param lacking what the master has and the follower has not
 */
public record HashDifference(HashList extra, HashList lacking) {
    public static final HashDifference NONE = new HashDifference(HashList.EMPTY, HashList.EMPTY);

    /** Of two lists. */
    public static HashDifference between(HashList master, HashList follower) {
        return new HashDifference(follower.without(master), master.without(follower));
    }

    /** Whether the follower has an item, of which the caller says whether the master has it. */
    public boolean followerHas(long hash, boolean masterHas) {
        return masterHas ? !lacking.contains(hash) : extra.contains(hash);
    }

    /**
     * Whether the master's hashes and this difference are a set of so many hashes with this sum modulo 2^64: what the
     * follower said that its set is.
     */
    public boolean leadsTo(long[] master, long count, long sum) {
        if (master.length + (long) extra.size() - lacking.size() != count
                || extra.hasDuplicates()
                || lacking.hasDuplicates()) {
            return false;
        }
        long total = extra.sum() - lacking.sum();
        int lackingFound = 0;
        HashList either = lacking.with(extra);
        for (long hash : master) {
            total += hash;
            if (either.contains(hash)) {
                if (!lacking.contains(hash)) {
                    return false;
                }
                lackingFound++;
            }
        }
        return total == sum && lackingFound == lacking.size();
    }

    public int size() {
        return extra.size() + lacking.size();
    }
}
