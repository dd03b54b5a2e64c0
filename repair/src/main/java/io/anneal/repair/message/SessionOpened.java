package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;

/**
 * A replica's answer to {@link OpenSession}.
 *
 * @param name how the replica calls itself, for reports
 * @param sstableCount SSTables it reads
 * @param dataBytes their uncompressed data
 */
public record SessionOpened(String name, int sstableCount, long dataBytes) {
    public void encode(ByteWriter out) {
        Texts.write(out, name);
        out.writeInt(sstableCount);
        out.writeLong(dataBytes);
    }

    public static SessionOpened decode(ByteReader in) {
        return new SessionOpened(Texts.read(in), in.readInt(), in.readLong());
    }
}
