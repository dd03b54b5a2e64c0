package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.List;

/** Which SSTables a source has of a table: where they lie on the ring, and how long they are. */
public record Survey(List<Extent> sstables) {
    /** An SSTable; one that does not tell its tokens may have all. */
    public record Extent(TokenRange.Linear tokens, long lengthBytes) {
        public Extent {
            if (lengthBytes < 0) {
                throw new IllegalArgumentException("SSTable has a negative length, lengthBytes=" + lengthBytes);
            }
        }
    }

    /** Far more than a table has, and few enough that a list of them has room in any heap. */
    private static final int SSTABLES_MAX = 1 << 20;

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

    /** How many SSTables follow, at most as many as a table can have; nothing is allocated for those that do not come. */
    static int readCount(ByteReader in) {
        int count = in.readUnsignedVInt32();
        if (count < 0 || count > SSTABLES_MAX) {
            throw new IllegalArgumentException(
                    "number of SSTables is out of range, count=" + count + ", max=" + SSTABLES_MAX);
        }
        return count;
    }

    public static Survey decode(ByteReader in) {
        int count = readCount(in);
        List<Extent> sstables = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sstables.add(new Extent(new TokenRange.Linear(in.readLong(), in.readLong()), in.readLong()));
        }
        return new Survey(sstables);
    }
}
