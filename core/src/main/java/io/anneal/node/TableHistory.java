package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.OptionalLong;

/**
 * What a replica knows of truncations of its table. A truncation leaves no deletion behind: what it removed comes back from any
 * replica that was not truncated.
 *
 * @param isTold whether its last truncation would be known here
 * @param truncatedMicros when that was, since 1970; empty if there was none
 * @param oldestWriteMicros the earliest write time of all that it holds, {@link Long#MAX_VALUE} if that is nothing
 */
public record TableHistory(boolean isTold, OptionalLong truncatedMicros, long oldestWriteMicros) {
    /** Nothing is known. */
    public static final TableHistory UNKNOWN = new TableHistory(false, OptionalLong.empty(), Long.MIN_VALUE);

    void encode(ByteWriter out) {
        out.writeByte(isTold ? 1 : 0);
        out.writeByte(truncatedMicros.isPresent() ? 1 : 0);
        truncatedMicros.ifPresent(out::writeLong);
        out.writeLong(oldestWriteMicros);
    }

    static TableHistory decode(ByteReader in) {
        return new TableHistory(
                in.readByte() != 0,
                in.readByte() == 0 ? OptionalLong.empty() : OptionalLong.of(in.readLong()),
                in.readLong());
    }

    /** Whether all that it holds was written after its last truncation. */
    boolean isWithoutTruncated() {
        return truncatedMicros.isPresent() && oldestWriteMicros >= truncatedMicros.getAsLong();
    }

    /** Whether it holds what the truncation of another replica removed there, and was not truncated itself at about that time. */
    boolean holdsTruncated(long otherMicros, long toleranceMicros) {
        boolean wasTruncatedToo =
                truncatedMicros.isPresent() && truncatedMicros.getAsLong() >= otherMicros - toleranceMicros;
        return !wasTruncatedToo && oldestWriteMicros < otherMicros;
    }
}
