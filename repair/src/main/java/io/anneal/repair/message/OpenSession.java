package io.anneal.repair.message;

import io.anneal.io.Arguments;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What the master fixes for all replicas of a session.
 *
 * @param schemaText the master's {@code CREATE TABLE} text; a replica whose schema differs refuses
 * @param ranges what the session repairs: a replica says from when its data of these dates
 * @param purgeTimeSeconds T of the canonical form, seconds since 1970
 * @param hashSeed seed of the item hashes
 * @param bufferBytes size of a row buffer, which a replica may find too large
 * @param participants how many replicas take part, the master among them
 * @param dryRun whether nothing is written
 * @param staged the run whose SSTables count as the replica's data although they are not imported yet
 * @param sessions how many sessions of one repair the master runs at once: a replica gives each its share of memory
 * @param left under which SSTables came for the replica before: they are read with what it holds, and kept with what it receives
 */
public record OpenSession(
        UUID sessionId,
        String keyspace,
        String table,
        String schemaText,
        List<TokenRange> ranges,
        long purgeTimeSeconds,
        long hashSeed,
        int bufferBytes,
        int participants,
        boolean dryRun,
        Optional<UUID> staged,
        int sessions,
        Optional<UUID> left) {

    public OpenSession(
            UUID sessionId,
            String keyspace,
            String table,
            String schemaText,
            List<TokenRange> ranges,
            long purgeTimeSeconds,
            long hashSeed,
            int bufferBytes,
            int participants,
            boolean dryRun,
            Optional<UUID> staged,
            int sessions) {
        this(
                sessionId,
                keyspace,
                table,
                schemaText,
                ranges,
                purgeTimeSeconds,
                hashSeed,
                bufferBytes,
                participants,
                dryRun,
                staged,
                sessions,
                Optional.empty());
    }

    public OpenSession {
        ranges = List.copyOf(ranges);
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("row buffer has no room, bufferBytes=" + bufferBytes);
        }
        if (participants < 2) {
            throw new IllegalArgumentException("a repair needs two replicas at least, replicas=" + participants);
        }
        Arguments.positive("sessions", sessions);
    }

    /** The same with a row buffer of another size. */
    public OpenSession withBufferBytes(int bytes) {
        return new OpenSession(
                sessionId,
                keyspace,
                table,
                schemaText,
                ranges,
                purgeTimeSeconds,
                hashSeed,
                bytes,
                participants,
                dryRun,
                staged,
                sessions,
                left);
    }

    /** The same for a replica for which SSTables came before. */
    public OpenSession withLeft(Optional<UUID> id) {
        return new OpenSession(
                sessionId,
                keyspace,
                table,
                schemaText,
                ranges,
                purgeTimeSeconds,
                hashSeed,
                bufferBytes,
                participants,
                dryRun,
                staged,
                sessions,
                id);
    }

    public void encode(ByteWriter out) {
        Texts.write(out, sessionId);
        Texts.write(out, keyspace);
        Texts.write(out, table);
        Texts.write(out, schemaText);
        Contents.write(ranges, out);
        out.writeLong(purgeTimeSeconds);
        out.writeLong(hashSeed);
        out.writeInt(bufferBytes);
        out.writeInt(participants);
        out.writeByte(dryRun ? 1 : 0);
        Texts.write(out, staged);
        out.writeInt(sessions);
        Texts.write(out, left);
    }

    public static OpenSession decode(ByteReader in) {
        return new OpenSession(
                Texts.readId(in),
                Texts.read(in),
                Texts.read(in),
                Texts.readVerbatim(in),
                Contents.readRanges(in),
                in.readLong(),
                in.readLong(),
                in.readInt(),
                in.readInt(),
                in.readByte() != 0,
                Texts.readOptionalId(in),
                in.readInt(),
                Texts.readOptionalId(in));
    }
}
