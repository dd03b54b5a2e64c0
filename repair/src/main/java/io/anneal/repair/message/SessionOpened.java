package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.ReplicaFacts;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * A replica's answer to {@link OpenSession}.
 *
 * @param localDeletionTimeMaxSeconds ceiling of the format that it writes
 * @param bufferBytes the largest row buffer that it has memory for, at most what was asked for
 * @param takesInAtOnce whether what it receives is its data once the session ends well
 * @param keepsReceived whether SSTables may come for it before a session, see {@link OpenSession#left}
 * @param notes what the operator should know of the replica, a sentence each
 * @param clockMillis its clock when it answered, since 1970; empty where it is the asker's own process
 */
public record SessionOpened(
        ReplicaFacts facts,
        long localDeletionTimeMaxSeconds,
        int bufferBytes,
        boolean takesInAtOnce,
        boolean keepsReceived,
        List<String> notes,
        OptionalLong clockMillis) {
    private static final long NO_CLOCK = Long.MIN_VALUE;

    public SessionOpened {
        notes = List.copyOf(notes);
    }

    /** How the replica calls itself. */
    public String name() {
        return facts.name();
    }

    /** The same with what a clock says now. */
    public SessionOpened at(Instant now) {
        return new SessionOpened(
                facts,
                localDeletionTimeMaxSeconds,
                bufferBytes,
                takesInAtOnce,
                keepsReceived,
                notes,
                OptionalLong.of(now.toEpochMilli()));
    }

    public void encode(ByteWriter out) {
        facts.encode(out);
        out.writeLong(localDeletionTimeMaxSeconds);
        out.writeInt(bufferBytes);
        out.writeByte(takesInAtOnce ? 1 : 0);
        out.writeByte(keepsReceived ? 1 : 0);
        Texts.write(out, notes);
        out.writeLong(clockMillis.orElse(NO_CLOCK));
    }

    public static SessionOpened decode(ByteReader in) {
        return new SessionOpened(
                ReplicaFacts.decode(in),
                in.readLong(),
                in.readInt(),
                in.readByte() != 0,
                in.readByte() != 0,
                Texts.readList(in),
                readClock(in.readLong()));
    }

    private static OptionalLong readClock(long millis) {
        return millis == NO_CLOCK ? OptionalLong.empty() : OptionalLong.of(millis);
    }
}
