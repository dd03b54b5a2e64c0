package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.ReplicaFacts;
import io.anneal.sstable.SSTableVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * What a source holds of what was asked for.
 *
 * @param sessionId by which files and rows are asked for while the source holds them
 * @param replica what the source says of itself and its data
 * @param isEmpty whether the source has no SSTable of the table at all, whatever was asked for
 * @param files SSTables that lie wholly inside the ranges, in a version that the target takes
 * @param parts SSTables of which the chunks are sent that hold the ranges; numbered behind the files
 * @param rowBytes length of all SSTables of which only rows are sent; 0 when there are none
 * @param rowsId of the rows: the same in another session means the same bytes
 */
public record Inventory(
        UUID sessionId,
        ReplicaFacts replica,
        boolean isEmpty,
        List<SentSSTable> files,
        List<SentSSTable> parts,
        long rowBytes,
        UUID rowsId) {
    /**
     * An SSTable that is sent, or part of it.
     *
     * @param generation with the version what its source calls it, so that a target knows it again
     * @param lengthBytes of all its files, or of the chunks that are sent
     */
    public record SentSSTable(SSTableVersion version, String generation, long lengthBytes) {
        public SentSSTable {
            if (lengthBytes < 0) {
                throw new IllegalArgumentException("SSTable has a negative length, lengthBytes=" + lengthBytes);
            }
        }
    }

    public Inventory {
        files = List.copyOf(files);
        parts = List.copyOf(parts);
        if (rowBytes < 0) {
            throw new IllegalArgumentException("length is negative, rowBytes=" + rowBytes);
        }
    }

    public void encode(ByteWriter out) {
        Texts.write(out, sessionId);
        replica.encode(out);
        out.writeByte(isEmpty ? 1 : 0);
        write(files, out);
        write(parts, out);
        out.writeLong(rowBytes);
        Texts.write(out, rowsId);
    }

    private static void write(List<SentSSTable> sstables, ByteWriter out) {
        out.writeUnsignedVInt(sstables.size());
        for (SentSSTable sstable : sstables) {
            Texts.write(out, sstable.version().text());
            Texts.write(out, sstable.generation());
            out.writeLong(sstable.lengthBytes());
        }
    }

    public static Inventory decode(ByteReader in) {
        return new Inventory(
                Texts.readId(in),
                ReplicaFacts.decode(in),
                in.readByte() != 0,
                readSSTables(in),
                readSSTables(in),
                in.readLong(),
                Texts.readId(in));
    }

    private static List<SentSSTable> readSSTables(ByteReader in) {
        int count = Survey.readCount(in);
        List<SentSSTable> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(new SentSSTable(readVersion(in), Texts.read(in), in.readLong()));
        }
        return files;
    }

    private static SSTableVersion readVersion(ByteReader in) {
        String text = Texts.read(in);
        return Arrays.stream(SSTableVersion.values())
                .filter(version -> version.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("version of an SSTable is unknown, version=" + text));
    }
}
