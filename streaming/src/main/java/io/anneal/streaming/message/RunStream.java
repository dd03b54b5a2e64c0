package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.node.Waiver;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Asks a node to fetch ranges of a table from a source.
 *
 * @param replica name of the replica that is to have them, as all names empty where a node has but one
 * @param source {@code host:port} of the node that gives them
 * @param sourceReplica name of the replica there
 * @param waivers what is not refused
 * @param bytesPerSecond which the node takes at most for it; 0 for as fast as it goes
 * @param leftAs under which what comes is left for somebody else, if it is not to be the replica's
 */
public record RunStream(
        String replica,
        String keyspace,
        String table,
        String source,
        String sourceReplica,
        List<TokenRange> ranges,
        Set<Waiver> waivers,
        long bytesPerSecond,
        Optional<UUID> leftAs) {
    public RunStream {
        waivers = Set.copyOf(waivers);
        ranges = List.copyOf(ranges);
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("no range is wanted");
        }
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("rate is negative, bytesPerSecond=" + bytesPerSecond);
        }
    }

    public void encode(ByteWriter out) {
        Texts.write(out, replica);
        Texts.write(out, keyspace);
        Texts.write(out, table);
        Texts.write(out, source);
        Texts.write(out, sourceReplica);
        OpenSource.writeRanges(out, ranges);
        Waiver.write(out, waivers);
        out.writeLong(bytesPerSecond);
        Texts.write(out, leftAs);
    }

    public static RunStream decode(ByteReader in) {
        return new RunStream(
                Texts.read(in),
                Texts.read(in),
                Texts.read(in),
                Texts.read(in),
                Texts.read(in),
                OpenSource.readRanges(in),
                Waiver.read(in),
                in.readLong(),
                Texts.readOptionalId(in));
    }
}
