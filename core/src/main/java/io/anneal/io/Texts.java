package io.anneal.io;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Texts, lists and ids as messages hold them: a length or a count, then the content. */
public final class Texts {
    private Texts() {}

    public static void write(ByteWriter out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeUnsignedVInt(bytes.length);
        out.writeBytes(bytes);
    }

    /** Returns a text of a peer as it may stand in a log or on a terminal: what does not print is escaped. */
    public static String read(ByteReader in) {
        return PrintableText.of(readVerbatim(in));
    }

    /** Returns a text as it was written, for a parser: a schema has lines. */
    public static String readVerbatim(ByteReader in) {
        return new String(in.readBytes(in.readUnsignedVInt32()), StandardCharsets.UTF_8);
    }

    public static void write(ByteWriter out, List<String> texts) {
        out.writeUnsignedVInt(texts.size());
        texts.forEach(text -> write(out, text));
    }

    /** A count larger than what is left cannot be true, so nothing is allocated for it. */
    public static List<String> readList(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(read(in));
        }
        return texts;
    }

    public static void write(ByteWriter out, UUID id) {
        out.writeLong(id.getMostSignificantBits());
        out.writeLong(id.getLeastSignificantBits());
    }

    public static UUID readId(ByteReader in) {
        return new UUID(in.readLong(), in.readLong());
    }

    public static void write(ByteWriter out, Optional<UUID> id) {
        out.writeByte(id.isPresent() ? 1 : 0);
        id.ifPresent(present -> write(out, present));
    }

    public static Optional<UUID> readOptionalId(ByteReader in) {
        return in.readByte() == 0 ? Optional.empty() : Optional.of(readId(in));
    }
}
