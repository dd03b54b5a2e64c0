package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.sstable.SSTableVersion;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Asks a source what it has.
 *
 * @param replica name of the replica there; empty where a node has but one
 * @param schemaText the target's {@code CREATE TABLE} text; a source whose schema differs refuses
 * @param takes versions of SSTables that the target takes as they are
 * @param localDeletionTimeMaxSeconds the latest local deletion time that the target can write: rows that come one by one are cut
 *     to it
 * @param ranges what is wanted
 */
public record OpenSource(
        String replica,
        String keyspace,
        String table,
        String schemaText,
        Set<SSTableVersion> takes,
        long localDeletionTimeMaxSeconds,
        List<TokenRange> ranges) {
    public OpenSource {
        takes = Set.copyOf(takes);
        ranges = List.copyOf(ranges);
        if (localDeletionTimeMaxSeconds < 0) {
            throw new IllegalArgumentException("latest local deletion time is negative, localDeletionTimeMaxSeconds="
                    + localDeletionTimeMaxSeconds);
        }
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("no range is wanted");
        }
    }

    public void encode(ByteWriter out) {
        Texts.write(out, replica);
        Texts.write(out, keyspace);
        Texts.write(out, table);
        Texts.write(out, schemaText);
        Texts.write(out, takes.stream().map(SSTableVersion::text).sorted().toList());
        out.writeLong(localDeletionTimeMaxSeconds);
        writeRanges(out, ranges);
    }

    static void writeRanges(ByteWriter out, List<TokenRange> ranges) {
        out.writeUnsignedVInt(ranges.size());
        for (TokenRange range : ranges) {
            out.writeLong(range.left());
            out.writeLong(range.right());
        }
    }

    public static OpenSource decode(ByteReader in) {
        return new OpenSource(
                Texts.read(in),
                Texts.read(in),
                Texts.read(in),
                Texts.readVerbatim(in),
                readVersions(in),
                in.readLong(),
                readRanges(in));
    }

    /** Later releases may take versions that are not known here, and that nothing here has. */
    private static Set<SSTableVersion> readVersions(ByteReader in) {
        List<String> texts = Texts.readList(in);
        Set<SSTableVersion> versions = EnumSet.noneOf(SSTableVersion.class);
        for (SSTableVersion version : SSTableVersion.values()) {
            if (texts.contains(version.text())) {
                versions.add(version);
            }
        }
        return versions;
    }

    /** A count larger than what is left cannot be true, so nothing is allocated for it. */
    static List<TokenRange> readRanges(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<TokenRange> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ranges.add(new TokenRange(in.readLong(), in.readLong()));
        }
        return ranges;
    }
}
