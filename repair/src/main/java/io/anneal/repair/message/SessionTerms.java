package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.node.Receiving;
import java.time.Instant;

/**
 * What follows for all replicas of a session from what each of them said when it was opened.
 *
 * @param localDeletionTimeMaxSeconds lowest ceiling of the participants' write formats, to which all clamp
 * @param bufferBytes smallest row buffer of the participants, so that nobody is sent more than it has room for
 * @param importDeadlineSeconds when everything received must be imported at the latest, seconds since 1970, or {@link
 *     Receiving#NO_DEADLINE}
 * @param cutoffMicros what was written later is left out of the comparison, by its write time, or {@link #NO_CUTOFF}
 * @param rate of all sessions of the repair: no replica reads further ahead than one of them may go in a second, since what is read
 *     behind the place where a session ends early is read in vain
 */
public record SessionTerms(
        long localDeletionTimeMaxSeconds,
        int bufferBytes,
        long importDeadlineSeconds,
        long cutoffMicros,
        ReadRate rate) {
    /** Nothing is left out. */
    public static final long NO_CUTOFF = Long.MAX_VALUE;

    public SessionTerms {
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("row buffer has no room, bufferBytes=" + bufferBytes);
        }
        requireDeadline(importDeadlineSeconds);
    }

    /**
     * A peer may say anything: what is neither a moment since 1970 nor {@link Receiving#NO_DEADLINE} is no message.
     *
     * @throws IllegalArgumentException when it is neither
     */
    public static long requireDeadline(long seconds) {
        if (seconds != Receiving.NO_DEADLINE && (seconds < 0 || seconds > Instant.MAX.getEpochSecond())) {
            throw new IllegalArgumentException("import deadline is no moment, seconds=" + seconds);
        }
        return seconds;
    }

    public void encode(ByteWriter out) {
        out.writeLong(localDeletionTimeMaxSeconds);
        out.writeInt(bufferBytes);
        out.writeLong(importDeadlineSeconds);
        out.writeLong(cutoffMicros);
        rate.encode(out);
    }

    public static SessionTerms decode(ByteReader in) {
        return new SessionTerms(in.readLong(), in.readInt(), in.readLong(), in.readLong(), ReadRate.decode(in));
    }
}
