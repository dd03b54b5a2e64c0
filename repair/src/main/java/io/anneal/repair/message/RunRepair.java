package io.anneal.repair.message;

import io.anneal.io.Arguments;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.node.Waiver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Asks a node to be the master of a repair. It chooses session id, purge time and seed itself.
 *
 * @param address of the node as its asker reaches it, {@code host:port}: other replicas may fetch SSTables there
 * @param replica name of the master's own replica, as all names empty where a node has but one
 * @param ranges apart from each other
 * @param followers the other replicas
 * @param bufferBytes row buffer of each replica; nodes may take smaller ones
 * @param allReplicas whether there are no other replicas of the ranges
 * @param staged the run whose SSTables count as the replicas' data although they are not imported yet
 * @param sessions how many such repairs are asked for at once: nodes give each its share of memory
 * @param rate of all masters of the run together
 * @param runId of the run that it is a part of: the upper half of its session's id
 * @param sessionNanos after how long the session ends at the next token; {@link Long#MAX_VALUE} where it does not
 * @param recent what was written later than so long before its start, or before the oldest replica's data dates, is not compared
 * @param namesRows whether the asker hears of each place at which rows differ
 * @param readsAll whether what is known of an earlier repair, and has not changed since, is read again
 */
public record RunRepair(
        String address,
        String replica,
        String keyspace,
        String table,
        List<TokenRange> ranges,
        List<Follower> followers,
        int bufferBytes,
        boolean dryRun,
        boolean allReplicas,
        Optional<UUID> staged,
        Set<Waiver> waivers,
        int sessions,
        ReadRate rate,
        UUID runId,
        long sessionNanos,
        Optional<Duration> recent,
        boolean namesRows,
        boolean readsAll) {
    private static final long NO_CUTOFF = -1;

    /**
     * Another replica.
     *
     * @param address {@code host:port} of its node
     * @param replica its name there
     */
    public record Follower(String address, String replica) {}

    public RunRepair {
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("row buffer has no room, bufferBytes=" + bufferBytes);
        }
        Arguments.positive("sessions", sessions);
        if (ranges.isEmpty() || followers.isEmpty()) {
            throw new IllegalArgumentException("repair has no range or no other replica, ranges=" + ranges.size()
                    + ", followers=" + followers.size());
        }
        ranges = List.copyOf(ranges);
        followers = List.copyOf(followers);
        waivers = Set.copyOf(waivers);
    }

    public void encode(ByteWriter out) {
        Texts.write(out, address);
        Texts.write(out, replica);
        Texts.write(out, keyspace);
        Texts.write(out, table);
        Contents.write(ranges, out);
        out.writeUnsignedVInt(followers.size());
        for (Follower follower : followers) {
            Texts.write(out, follower.address());
            Texts.write(out, follower.replica());
        }
        out.writeInt(bufferBytes);
        out.writeByte(dryRun ? 1 : 0);
        out.writeByte(allReplicas ? 1 : 0);
        Texts.write(out, staged);
        Waiver.write(out, waivers);
        out.writeInt(sessions);
        rate.encode(out);
        Texts.write(out, runId);
        out.writeLong(sessionNanos);
        out.writeLong(recent.map(Duration::toNanos).orElse(NO_CUTOFF));
        out.writeByte(namesRows ? 1 : 0);
        out.writeByte(readsAll ? 1 : 0);
    }

    public static RunRepair decode(ByteReader in) {
        return new RunRepair(
                Texts.read(in),
                Texts.read(in),
                Texts.read(in),
                Texts.read(in),
                Contents.readRanges(in),
                readFollowers(in),
                in.readInt(),
                in.readByte() != 0,
                in.readByte() != 0,
                Texts.readOptionalId(in),
                Waiver.read(in),
                in.readInt(),
                ReadRate.decode(in),
                Texts.readId(in),
                in.readLong(),
                readRecent(in.readLong()),
                in.readByte() != 0,
                in.readByte() != 0);
    }

    private static Optional<Duration> readRecent(long nanos) {
        return nanos == NO_CUTOFF
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Arguments.notNegative("recentNanos", nanos)));
    }

    /** A count larger than what is left cannot be true, so nothing is allocated for it. */
    private static List<Follower> readFollowers(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<Follower> followers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            followers.add(new Follower(Texts.read(in), Texts.read(in)));
        }
        return followers;
    }
}
