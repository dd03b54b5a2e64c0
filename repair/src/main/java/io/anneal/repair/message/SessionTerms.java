package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;

/**
 * What follows for all replicas of a session from what each of them said when it was opened.
 *
 * @param localDeletionTimeMaxSeconds lowest ceiling of the participants' write formats, to which all clamp
 * @param importDeadlineSeconds when everything received must be imported at the latest, seconds since 1970, or {@link
 *     #NO_DEADLINE}
 */
public record SessionTerms(long localDeletionTimeMaxSeconds, long importDeadlineSeconds) {
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    public void encode(ByteWriter out) {
        out.writeLong(localDeletionTimeMaxSeconds);
        out.writeLong(importDeadlineSeconds);
    }

    public static SessionTerms decode(ByteReader in) {
        return new SessionTerms(in.readLong(), in.readLong());
    }
}
