package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.List;

/** Which SSTables a source has of a table: where they lie on the ring, and how long they are. */
public record Survey(List<Extent> sstables) {
    /** An SSTable; one that does not tell its tokens may have all. */
    public record Extent(TokenRange.Linear tokens, long lengthBytes) {}

    public Survey {
        sstables = List.copyOf(sstables);
    }

    public void encode(ByteWriter out) {
        out.writeUnsignedVInt(sstables.size());
        for (Extent sstable : sstables) {
            out.writeLong(sstable.tokens().first());
            out.writeLong(sstable.tokens().last());
            out.writeLong(sstable.lengthBytes());
        }
    }

    /** A count larger than what is left cannot be true, so nothing is allocated for it. */
    public static Survey decode(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<Extent> sstables = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sstables.add(new Extent(new TokenRange.Linear(in.readLong(), in.readLong()), in.readLong()));
        }
        return new Survey(sstables);
    }
}
