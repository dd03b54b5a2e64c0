package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Asks a node to be the master of a repair. It chooses session id, purge time and seed itself.
 *
 * @param followers {@code host:port} of the other replicas
 * @param bufferBytes row buffer of each replica; nodes may take smaller ones
 * @param allReplicas whether there are no other replicas of the range
 * @param staged the run whose SSTables count as the replicas' data although they are not imported yet
 */
public record RunRepair(
        String keyspace,
        String table,
        TokenRange range,
        List<String> followers,
        int bufferBytes,
        boolean dryRun,
        boolean allReplicas,
        Optional<UUID> staged,
        Set<Waiver> waivers) {
    public RunRepair {
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("row buffer has no room, bufferBytes=" + bufferBytes);
        }
        followers = List.copyOf(followers);
        waivers = Set.copyOf(waivers);
    }

    public void encode(ByteWriter out) {
        Texts.write(out, keyspace);
        Texts.write(out, table);
        Contents.write(range, out);
        Texts.write(out, followers);
        out.writeInt(bufferBytes);
        out.writeByte(dryRun ? 1 : 0);
        out.writeByte(allReplicas ? 1 : 0);
        Texts.write(out, staged);
        Waiver.write(out, waivers);
    }

    public static RunRepair decode(ByteReader in) {
        return new RunRepair(
                Texts.read(in),
                Texts.read(in),
                Contents.readTokens(in),
                Texts.readList(in),
                in.readInt(),
                in.readByte() != 0,
                in.readByte() != 0,
                Texts.readOptionalId(in),
                Waiver.read(in));
    }
}
