package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.Receiving;
import java.util.List;

/**
 * What a replica read and wrote in a session.
 *
 * @param rowsRead rows of its own that it hashed
 * @param bytesRead their encoded size
 * @param rowsWritten rows it received and lacked
 * @param deletionsWritten partition and range deletions it received and lacked
 * @param importDeadlineSeconds when all that waits for import beside them must be imported at the latest, seconds since 1970,
 *     or {@link Receiving#NO_DEADLINE}
 * @param sstables the SSTables that it wrote and that wait for import, as paths
 */
public record SessionFinished(
        long rowsRead,
        long bytesRead,
        long rowsWritten,
        long deletionsWritten,
        long importDeadlineSeconds,
        List<String> sstables) {
    public SessionFinished {
        SessionTerms.requireDeadline(importDeadlineSeconds);
        sstables = List.copyOf(sstables);
    }

    public void encode(ByteWriter out) {
        out.writeLong(rowsRead);
        out.writeLong(bytesRead);
        out.writeLong(rowsWritten);
        out.writeLong(deletionsWritten);
        out.writeLong(importDeadlineSeconds);
        Texts.write(out, sstables);
    }

    public static SessionFinished decode(ByteReader in) {
        return new SessionFinished(
                in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong(), Texts.readList(in));
    }
}
