package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.sstable.Component;
import java.util.UUID;

/**
 * Asks for a file from a position to its end. Of an SSTable that is sent in part that is the data's sections, as {@link
 * io.anneal.sstable.SectionSource} gives them.
 *
 * @param sstable its number in the {@link Inventory}
 */
public record FilePart(UUID sessionId, int sstable, Component component, long position) {
    /** Length that no such message has. */
    public static final int MAX_BYTES = 256;

    public void encode(ByteWriter out) {
        out.writeByte(StreamVerb.VERSION);
        Texts.write(out, sessionId);
        out.writeInt(sstable);
        Texts.write(out, component.fileSuffix());
        out.writeLong(position);
    }

    /** Of what stands behind the version. */
    public static FilePart decode(ByteReader in) {
        return new FilePart(Texts.readId(in), in.readInt(), FileContents.readComponent(in), in.readLong());
    }
}
