package io.anneal.agent;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
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
 * @param heldTables in which it holds deletions, by qualified name
 * @param keyspaces that were asked for
 */
public record AgentStatus(
        Instant now,
        UUID hostId,
        String version,
        String endpoint,
        Optional<UUID> run,
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
        Texts.write(out, heldTables);
        out.writeUnsignedVInt(keyspaces.size());
        keyspaces.forEach(keyspace -> keyspace.write(out));
    }

    static AgentStatus read(ByteReader in) {
        Instant now = Instant.ofEpochMilli(in.readLong());
        UUID hostId = Texts.readId(in);
        String version = Texts.read(in);
        String endpoint = Texts.read(in);
        Optional<UUID> run = Texts.readOptionalId(in);
        List<String> heldTables = Texts.readList(in);
        int count = in.readUnsignedVInt32();
        List<AgentKeyspace> keyspaces = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keyspaces.add(AgentKeyspace.read(in));
        }
        return new AgentStatus(now, hostId, version, endpoint, run, heldTables, keyspaces);
    }
}
