package io.anneal.repair.message;

import io.anneal.io.Arguments;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.RateLimiter;

/**
 * How fast the masters of a repair read, over all its sessions. Who asked for the repair holds them to it between two windows;
 * so a window must be no larger than what its session may read in about a second, on any replica.
 *
 * @param rowsPerSecond 0 for as fast as it goes
 * @param bytesPerSecond 0 for as fast as it goes
 */
public record ReadRate(long rowsPerSecond, long bytesPerSecond) {
    public static final ReadRate UNLIMITED = new ReadRate(RateLimiter.UNLIMITED, RateLimiter.UNLIMITED);

    public ReadRate {
        Arguments.notNegative("rowsPerSecond", rowsPerSecond);
        Arguments.notNegative("bytesPerSecond", bytesPerSecond);
    }

    public boolean isUnlimited() {
        return equals(UNLIMITED);
    }

    /** Rows that a window of one of so many sessions has at most. */
    public long windowRowsMax(int sessions) {
        return share(rowsPerSecond, sessions);
    }

    /** Bytes that a window of one of so many sessions has at most, but for its last row. */
    public long windowBytesMax(int sessions) {
        return share(bytesPerSecond, sessions);
    }

    private static long share(long rate, int sessions) {
        return rate == RateLimiter.UNLIMITED ? Long.MAX_VALUE : Math.max(1, rate / sessions);
    }

    void encode(ByteWriter out) {
        out.writeLong(rowsPerSecond);
        out.writeLong(bytesPerSecond);
    }

    static ReadRate decode(ByteReader in) {
        return new ReadRate(in.readLong(), in.readLong());
    }
}
