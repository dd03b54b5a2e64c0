package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.DecoratedKey;
import java.util.Optional;
import java.util.UUID;

/** Asks for rows, from a place to their end. */
public record RowsPart(UUID sessionId, Optional<Place> place) {
    /** Length that no such message has: keys have at most 65,535 bytes. */
    public static final int MAX_BYTES = 66_000;

    /**
     * How far a target is. The same SSTables give the same bytes, so that it means the same in each session that holds them.
     *
     * @param partition the last one that something came of
     * @param bytes of it that have come
     */
    public record Place(DecoratedKey partition, long bytes) {}

    public void encode(ByteWriter out) {
        out.writeByte(StreamVerb.VERSION);
        Texts.write(out, sessionId);
        out.writeByte(place.isPresent() ? 1 : 0);
        place.ifPresent(reached -> {
            out.writeUnsignedVInt(reached.partition().bytes().length);
            out.writeBytes(reached.partition().bytes());
            out.writeLong(reached.bytes());
        });
    }

    /** Of what stands behind the version. */
    public static RowsPart decode(ByteReader in) {
        UUID sessionId = Texts.readId(in);
        if (in.readUnsignedByte() == 0) {
            return new RowsPart(sessionId, Optional.empty());
        }
        DecoratedKey partition = DecoratedKey.of(in.readBytes(in.readUnsignedVInt32()));
        return new RowsPart(sessionId, Optional.of(new Place(partition, in.readLong())));
    }
}
