package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.DataSection;
import io.anneal.sstable.SectionManifest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a target must know of an SSTable before it gets sections of it. */
public record SectionContents(SectionManifest manifest) {
    public void encode(ByteWriter out) {
        Compression compression = manifest.compression();
        Texts.write(out, compression.compressor().map(Compressor::className).orElse(""));
        out.writeInt(compression.maxCompressedLengthBytes());
        out.writeUnsignedVInt(compression.options().size());
        new TreeMap<>(compression.options()).forEach((name, value) -> {
            Texts.write(out, name);
            Texts.write(out, value);
        });
        out.writeInt(manifest.chunkLengthBytes());
        out.writeLong(manifest.dataLengthBytes());
        out.writeUnsignedVInt(manifest.sections().size());
        for (DataSection section : manifest.sections()) {
            out.writeLong(section.start());
            out.writeLong(section.end());
        }
        ByteBuffer statistics = manifest.statistics().duplicate();
        byte[] bytes = new byte[statistics.remaining()];
        statistics.get(bytes);
        out.writeUnsignedVInt(bytes.length);
        out.writeBytes(bytes);
    }

    public static SectionContents decode(ByteReader in) {
        String className = Texts.read(in);
        int maxCompressedLengthBytes = in.readInt();
        Map<String, String> options = readOptions(in);
        int chunkLengthBytes = in.readInt();
        Compression compression = className.isEmpty()
                ? Compression.NONE
                : new Compression(
                        Optional.of(readCompressor(className)), chunkLengthBytes, maxCompressedLengthBytes, options);
        long dataLengthBytes = in.readLong();
        List<DataSection> sections = readSections(in);
        byte[] statistics = in.readBytes(in.readUnsignedVInt32());
        return new SectionContents(new SectionManifest(
                ByteBuffer.wrap(statistics), compression, chunkLengthBytes, dataLengthBytes, sections));
    }

    private static Compressor readCompressor(String className) {
        return Compressor.ofClass(className)
                .orElseThrow(() -> new IllegalArgumentException("compressor is not known, class=" + className));
    }

    private static Map<String, String> readOptions(ByteReader in) {
        int count = in.readUnsignedVInt32();
        Map<String, String> options = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            options.put(Texts.read(in), Texts.read(in));
        }
        return options;
    }

    /** A count larger than what is left cannot be true, so nothing is allocated for it. */
    private static List<DataSection> readSections(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<DataSection> sections = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sections.add(new DataSection(in.readLong(), in.readLong()));
        }
        return sections;
    }
}
