package io.anneal.key;

/**
 * Which shard a token belongs to: its unsigned value without the most significant bits, scaled to the number of shards. With
 * some bits ignored every shard has a part of each of the ring's 2^n stretches, so that a scan of a small range is shared by
 * all; Scylla published the rule.
 *
 * @param shardCount at least 1
 * @param ignoredBits most significant bits that do not count, 0 to 32
 */
public record ShardRule(int shardCount, int ignoredBits) {
    public static final int IGNORED_BITS_DEFAULT = 12;

    private static final int IGNORED_BITS_MAX = 32;

    public ShardRule {
        if (shardCount < 1 || ignoredBits < 0 || ignoredBits > IGNORED_BITS_MAX) {
            throw new IllegalArgumentException(
                    "shard rule is out of range, shardCount=" + shardCount + ", ignoredBits=" + ignoredBits);
        }
    }

    /** The shard that owns a token, from 0 on. */
    public int shardOf(long token) {
        // Tokens are signed, places on the ring are not.
        long place = (token ^ Long.MIN_VALUE) << ignoredBits;
        return (int) Math.multiplyHigh(place >>> 1, (long) shardCount << 1);
    }
}
