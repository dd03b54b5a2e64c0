package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.repair.hashes.ShortHashes;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks where rows stand, and how large they are: some groups of rows by their hashes.
 *
 * @param placeBits how many bits of its hash shall tell a place; 0 for the places themselves
 * @param groups each is answered by itself
 */
public record PlacesWanted(int placeBits, List<ShortHashes> groups) {
    public PlacesWanted {
        if (placeBits < 0 || placeBits > Long.SIZE) {
            throw new IllegalArgumentException("hash has not so many bits, bits=" + placeBits);
        }
        groups = List.copyOf(groups);
    }

    public void encode(ByteWriter out) {
        out.writeByte(placeBits);
        out.writeUnsignedVInt(groups.size());
        groups.forEach(group -> group.encode(out));
    }

    public static PlacesWanted decode(ByteReader in) {
        int placeBits = in.readUnsignedByte();
        int count = in.readUnsignedVInt32();
        List<ShortHashes> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            groups.add(ShortHashes.decode(in));
        }
        return new PlacesWanted(placeBits, groups);
    }
}
