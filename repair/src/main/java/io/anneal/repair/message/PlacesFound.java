package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.repair.hashes.ShortHashes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where wanted rows stand, the answer to {@link PlacesWanted}.
 *
 * @param groups for each that was asked for what stands in each range; empty where more rows than were asked for have such hashes
 */
public record PlacesFound(Optional<List<List<InRange>>> groups) {
    /** More rows than were asked for have such hashes: the whole hashes must be told. */
    public static final PlacesFound UNCLEAR = new PlacesFound(Optional.empty());

    /**
     * Rows of a group in one range.
     *
     * @param range which of the session's ranges, as {@code RangeIndex} counts them
     * @param bytes encoded size of these rows: of all together, or of each where the places themselves are told
     * @param hashes of their places; none where the places themselves are told
     * @param items the places: items without content
     */
    public record InRange(int range, long[] bytes, ShortHashes hashes, byte[] items) {
        private static final byte[] NO_ITEMS = new byte[0];

        /** Only hashes of the places. */
        public static InRange hashed(int range, long bytes, ShortHashes hashes) {
            return new InRange(range, new long[] {bytes}, hashes, NO_ITEMS);
        }

        /** The places themselves. */
        public static InRange named(int range, long[] bytes, byte[] items) {
            return new InRange(range, bytes, ShortHashes.of(new long[0], Long.SIZE), items);
        }

        private void encode(ByteWriter out, boolean isHashed) {
            out.writeUnsignedVInt(range);
            if (isHashed) {
                out.writeUnsignedVInt(bytes[0]);
                hashes.encode(out);
                return;
            }
            out.writeUnsignedVInt(bytes.length);
            for (long size : bytes) {
                out.writeUnsignedVInt(size);
            }
            out.writeUnsignedVInt(items.length);
            out.writeBytes(items);
        }

        private static InRange decode(ByteReader in, boolean isHashed) {
            int range = in.readUnsignedVInt32();
            if (isHashed) {
                return hashed(range, in.readUnsignedVInt(), ShortHashes.decode(in));
            }
            int count = in.readUnsignedVInt32();
            if (count > in.remainingBytes()) {
                throw new IllegalArgumentException("more rows than the bytes hold, rows=" + count);
            }
            long[] sizes = new long[count];
            for (int i = 0; i < count; i++) {
                sizes[i] = in.readUnsignedVInt();
            }
            return named(range, sizes, in.readBytes(in.readUnsignedVInt32()));
        }
    }

    /** @param wanted what was asked for */
    public void encode(ByteWriter out, PlacesWanted wanted) {
        for (List<InRange> group : groups.orElse(List.of())) {
            out.writeUnsignedVInt(group.size());
            group.forEach(rows -> rows.encode(out, wanted.placeBits() > 0));
        }
    }

    public static PlacesFound decode(ByteReader in, PlacesWanted wanted) {
        if (!in.hasRemaining()) {
            return UNCLEAR;
        }
        List<List<InRange>> groups = new ArrayList<>();
        for (int i = 0; i < wanted.groups().size(); i++) {
            List<InRange> group = new ArrayList<>();
            int count = in.readUnsignedVInt32();
            for (int j = 0; j < count; j++) {
                group.add(InRange.decode(in, wanted.placeBits() > 0));
            }
            groups.add(group);
        }
        return new PlacesFound(Optional.of(groups));
    }
}
