package io.anneal.dualdao.order;

/**
 * A 64-bit hash of a key's text, the same on every instance and in every version: it decides which keys are in the share of reads
 * that begin at the target. FNV-1a over the UTF-16 units, low byte first, then the finaliser of MurmurHash3 (fmix64), since
 * FNV alone leaves the low bits of short texts alike.
 */
public final class KeyHash {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final int PERCENT = 100;

    private KeyHash() {}

    public static long of(String key) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < key.length(); i++) {
            char unit = key.charAt(i);
            hash = (hash ^ (unit & 0xff)) * FNV_PRIME;
            hash = (hash ^ (unit >>> 8)) * FNV_PRIME;
        }
        hash ^= hash >>> 33;
        hash *= 0xff51afd7ed558ccdL;
        hash ^= hash >>> 33;
        hash *= 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }

    /** Whether a key is among that many percent of all. A key that is in a share is in every larger one. */
    public static boolean inShare(String key, int percent) {
        return Long.remainderUnsigned(of(key), PERCENT) < percent;
    }
}
