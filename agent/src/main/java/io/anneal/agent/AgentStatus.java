package io.anneal.agent;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What an agent says of itself and its node.
 *
 * @param now by the clock of its machine
 * @param hostId of the node
 * @param version of Cassandra
 * @param endpoint the node's address in the ring, with a port
 * @param run for which it holds tables
 * @param leaseLeft until it lets go by itself, if it hears no more of the run
 * @param snapshotAt when the run's snapshot began, by the same clock
 * @param heldTables in which it holds deletions, by qualified name
 * @param keyspaces that were asked for
 */
public record AgentStatus(
        Instant now,
        UUID hostId,
        String version,
        String endpoint,
        Optional<UUID> run,
        Optional<Duration> leaseLeft,
        Optional<Instant> snapshotAt,
        List<String> heldTables,
        List<AgentKeyspace> keyspaces) {
    public AgentStatus {
        heldTables = List.copyOf(heldTables);
        keyspaces = List.copyOf(keyspaces);
    }

    void write(ByteWriter out) {
        out.writeLong(now.toEpochMilli());
        Texts.write(out, hostId);
        Texts.write(out, version);
        Texts.write(out, endpoint);
        Texts.write(out, run);
        write(out, leaseLeft.map(Duration::toMillis));
        write(out, snapshotAt.map(Instant::toEpochMilli));
        Texts.write(out, heldTables);
        out.writeUnsignedVInt(keyspaces.size());
        keyspaces.forEach(keyspace -> keyspace.write(out));
    }

    private static void write(ByteWriter out, Optional<Long> millis) {
        out.writeByte(millis.isPresent() ? 1 : 0);
        millis.ifPresent(out::writeLong);
    }

    private static Optional<Long> readMillis(ByteReader in) {
        return in.readByte() == 0 ? Optional.empty() : Optional.of(in.readLong());
    }

    static AgentStatus read(ByteReader in) {
        Instant now = Instant.ofEpochMilli(in.readLong());
        UUID hostId = Texts.readId(in);
        String version = Texts.read(in);
        String endpoint = Texts.read(in);
        Optional<UUID> run = Texts.readOptionalId(in);
        Optional<Duration> leaseLeft = readMillis(in).map(Duration::ofMillis);
        Optional<Instant> snapshotAt = readMillis(in).map(Instant::ofEpochMilli);
        List<String> heldTables = Texts.readList(in);
        int count = in.readUnsignedVInt32();
        List<AgentKeyspace> keyspaces = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keyspaces.add(AgentKeyspace.read(in));
        }
        return new AgentStatus(now, hostId, version, endpoint, run, leaseLeft, snapshotAt, heldTables, keyspaces);
    }
}
