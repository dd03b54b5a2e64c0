package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.sstable.Component;
import io.anneal.sstable.FileContent;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The files of an SSTable.
 *
 * @param files by component; there is no other than those that the enumeration knows, and never TOC
 */
public record FileContents(Map<Component, FileContent> files) {
    public FileContents {
        files = Collections.unmodifiableMap(new EnumMap<>(files));
    }

    public void encode(ByteWriter out) {
        out.writeUnsignedVInt(files.size());
        files.forEach((component, content) -> {
            Texts.write(out, component.fileSuffix());
            out.writeLong(content.lengthBytes());
            out.writeInt(content.crc32());
        });
    }

    public static FileContents decode(ByteReader in) {
        int count = in.readUnsignedVInt32();
        Map<Component, FileContent> files = new EnumMap<>(Component.class);
        for (int i = 0; i < count; i++) {
            Component component = readComponent(in);
            if (files.put(component, new FileContent(in.readLong(), in.readInt())) != null) {
                throw new IllegalArgumentException("component comes twice, component=" + component.fileSuffix());
            }
        }
        return new FileContents(files);
    }

    static Component readComponent(ByteReader in) {
        String suffix = Texts.read(in);
        return Component.of(suffix)
                .filter(component -> component != Component.TOC)
                .orElseThrow(
                        () -> new IllegalArgumentException("component is not sent or unknown, component=" + suffix));
    }
}
