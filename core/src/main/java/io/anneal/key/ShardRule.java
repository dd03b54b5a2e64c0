package io.anneal.key;

import java.util.OptionalLong;

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

    /** The first token from {@code token} on that a shard owns; empty when there is none up to the largest token. */
    public OptionalLong ceiling(int shard, long token) {
        if (shardOf(token) == shard) {
            return OptionalLong.of(token);
        }
        long place = token ^ Long.MIN_VALUE;
        long inStretch = place & -1L >>> ignoredBits;
        long first = firstInStretch(shard);
        long found = place - inStretch + first;
        if (Long.compareUnsigned(inStretch, first) > 0) {
            found += ignoredBits == 0 ? 0 : 1L << Long.SIZE - ignoredBits;
        }
        // Behind the last stretch places begin anew.
        return Long.compareUnsigned(found, place) > 0 ? OptionalLong.of(found ^ Long.MIN_VALUE) : OptionalLong.empty();
    }

    /** Where a shard's part of each stretch begins: {@code shard * 2^64 / shardCount}, rounded up to what places tell apart. */
    private long firstInStretch(int shard) {
        long numerator = (long) shard << Integer.SIZE;
        long remainder = numerator % shardCount << Integer.SIZE;
        long scaled = (numerator / shardCount << Integer.SIZE) + remainder / shardCount;
        long roundedUp = scaled + (remainder % shardCount == 0 ? 0 : 1);
        int bits = Math.max(1, ignoredBits);
        long first = (roundedUp + (1L << bits) - 1 >>> bits) << bits;
        return first >>> ignoredBits;
    }
}
