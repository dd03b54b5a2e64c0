package io.anneal.bench.oldrepair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import java.net.InetSocketAddress;

/**
 * One of the replicas of a repair.
 *
 * @param replica its name at its node; may be empty where the node has one only
 * @param address where the node listens, for all others
 */
public record BaselineMember(String replica, InetSocketAddress address) {
    void encode(ByteWriter out) {
        Texts.write(out, replica);
        Texts.write(out, address.getHostString());
        out.writeInt(address.getPort());
    }

    static BaselineMember decode(ByteReader in) {
        return new BaselineMember(Texts.read(in), new InetSocketAddress(Texts.read(in), in.readInt()));
    }
}
