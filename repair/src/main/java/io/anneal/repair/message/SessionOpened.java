package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.ReplicaFacts;
import java.util.List;

/**
 * A replica's answer to {@link OpenSession}.
 *
 * @param localDeletionTimeMaxSeconds ceiling of the format that it writes
 * @param bufferBytes the largest row buffer that it has memory for, at most what was asked for
 * @param takesInAtOnce whether what it receives is its data once the session ends well
 * @param notes what the operator should know of the replica, a sentence each
 */
public record SessionOpened(
        ReplicaFacts facts,
        long localDeletionTimeMaxSeconds,
        int bufferBytes,
        boolean takesInAtOnce,
        List<String> notes) {
    public SessionOpened {
        notes = List.copyOf(notes);
    }

    /** How the replica calls itself. */
    public String name() {
        return facts.name();
    }

    public void encode(ByteWriter out) {
        facts.encode(out);
        out.writeLong(localDeletionTimeMaxSeconds);
        out.writeInt(bufferBytes);
        out.writeByte(takesInAtOnce ? 1 : 0);
        Texts.write(out, notes);
    }

    public static SessionOpened decode(ByteReader in) {
        return new SessionOpened(
                ReplicaFacts.decode(in), in.readLong(), in.readInt(), in.readByte() != 0, Texts.readList(in));
    }
}
