package io.anneal.agent;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A keyspace as the node of an agent sees it.
 *
 * @param tables without the keyspace
 * @param dataCentres of the owners in the ring
 */
public record AgentKeyspace(String name, List<String> tables, Ring ring, Map<String, String> dataCentres) {
    public AgentKeyspace {
        tables = List.copyOf(tables);
        dataCentres = Map.copyOf(dataCentres);
    }

    static AgentKeyspace of(LiveNode node, String name) throws LiveNodeException {
        List<String> tables = node.tables(name);
        if (tables.isEmpty()) {
            throw new LiveNodeException((node.hasKeyspace(name) ? "keyspace has no tables" : "keyspace is not there")
                    + ", node=" + node.address() + ", keyspace=" + name);
        }
        Ring ring = node.ring(name);
        Map<String, String> dataCentres = new TreeMap<>();
        for (String owner : ring.owners()) {
            dataCentres.put(owner, node.dataCentre(owner));
        }
        return new AgentKeyspace(name, tables, ring, dataCentres);
    }

    void write(ByteWriter out) {
        Texts.write(out, name);
        Texts.write(out, tables);
        List<String> owners = List.copyOf(dataCentres.keySet());
        Texts.write(out, owners);
        Texts.write(out, owners.stream().map(dataCentres::get).toList());
        out.writeUnsignedVInt(ring.parts().size());
        for (Ring.Part part : ring.parts()) {
            out.writeLong(part.range().left());
            out.writeLong(part.range().right());
            out.writeUnsignedVInt(part.owners().size());
            part.owners().forEach(owner -> out.writeUnsignedVInt(owners.indexOf(owner)));
        }
    }

    static AgentKeyspace read(ByteReader in) {
        String name = Texts.read(in);
        List<String> tables = Texts.readList(in);
        List<String> owners = Texts.readList(in);
        List<String> centres = Texts.readList(in);
        Map<String, String> dataCentres = new TreeMap<>();
        if (owners.size() != centres.size()) {
            throw new IllegalArgumentException(
                    "owners and data centres differ in number, owners=" + owners + ", data-centres=" + centres);
        }
        for (int i = 0; i < owners.size(); i++) {
            dataCentres.put(owners.get(i), centres.get(i));
        }
        // Nothing is allocated for a number: a part that is not there ends the reading.
        int count = in.readUnsignedVInt32();
        List<Ring.Part> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            TokenRange range = new TokenRange(in.readLong(), in.readLong());
            int owning = in.readUnsignedVInt32();
            List<String> those = new ArrayList<>();
            for (int owner = 0; owner < owning; owner++) {
                int index = in.readUnsignedVInt32();
                if (index < 0 || index >= owners.size()) {
                    throw new IllegalArgumentException("owner is not among those that are named, index=" + index);
                }
                those.add(owners.get(index));
            }
            parts.add(new Ring.Part(range, those));
        }
        return new AgentKeyspace(name, tables, Ring.whole(parts), dataCentres);
    }
}
