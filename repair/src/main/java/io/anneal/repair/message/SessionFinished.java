package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.Receiving;
import java.util.List;

/**
 * What a replica read and wrote in a session.
 *
 * @param counts what it did itself
 * @param importDeadlineSeconds when all that waits for import beside them must be imported at the latest, seconds since 1970,
 *     or {@link Receiving#NO_DEADLINE}
 * @param sstables the SSTables that it wrote and that wait for import, as paths
 */
public record SessionFinished(RepairCounts counts, long importDeadlineSeconds, List<String> sstables) {
    public SessionFinished {
        SessionTerms.requireDeadline(importDeadlineSeconds);
        sstables = List.copyOf(sstables);
    }

    public void encode(ByteWriter out) {
        counts.encode(out);
        out.writeLong(importDeadlineSeconds);
        Texts.write(out, sstables);
    }

    public static SessionFinished decode(ByteReader in) {
        return new SessionFinished(RepairCounts.decode(in), in.readLong(), Texts.readList(in));
    }
}
