package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Asks a node to be the master of a repair. It chooses purge time and seed itself.
 *
 * @param followers {@code host:port} of the other replicas
 * @param bufferBytes row buffer of each replica
 * @param staged the run whose SSTables count as the replicas' data although they are not imported yet
 */
public record RunRepair(
        UUID sessionId,
        String keyspace,
        String table,
        TokenRange range,
        List<String> followers,
        int bufferBytes,
        boolean dryRun,
        Optional<UUID> staged,
        Set<Waiver> waivers) {
    public RunRepair {
        followers = List.copyOf(followers);
        waivers = Set.copyOf(waivers);
    }

    public void encode(ByteWriter out) {
        Texts.write(out, sessionId);
        Texts.write(out, keyspace);
        Texts.write(out, table);
        out.writeLong(range.left());
        out.writeLong(range.right());
        Texts.write(out, followers);
        out.writeInt(bufferBytes);
        out.writeByte(dryRun ? 1 : 0);
        Texts.write(out, staged);
        Waiver.write(out, waivers);
    }

    public static RunRepair decode(ByteReader in) {
        return new RunRepair(
                Texts.readId(in),
                Texts.read(in),
                Texts.read(in),
                new TokenRange(in.readLong(), in.readLong()),
                Texts.readList(in),
                in.readInt(),
                in.readByte() != 0,
                Texts.readOptionalId(in),
                Waiver.read(in));
    }
}
