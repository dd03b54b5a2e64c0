package io.anneal.sstable.data;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableFormat;
import io.anneal.sstable.big.BigFormat;
import io.anneal.sstable.bti.BtiFormat;
import io.anneal.sstable.file.ChunkSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/** SSTables of Cassandra among the resources, copies of them to spoil, and their fragments as text. */
public final class SampleSSTables {
    public static DataReader open(Descriptor descriptor) throws IOException {
        SSTableFormat format = descriptor.format().equals("bti") ? new BtiFormat() : new BigFormat();
        return (DataReader) format.open(descriptor);
    }

    private static final Path ROOT = Path.of("src/test/resources/sstables");
    private static final int CRC_CHUNK_BYTES = 256;
    private static final String HEX = "0123456789abcdef";

    private SampleSSTables() {}

    public static Descriptor original(String table, String sstable) {
        return Descriptor.of(ROOT.resolve(table).resolve(sstable + "-Data.db")).orElseThrow();
    }

    public static Descriptor copy(String table, String sstable, Path directory) throws IOException {
        Descriptor from = original(table, sstable);
        try (Stream<Path> files = Files.list(from.directory())) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(file.getFileName()));
            }
        }
        return Descriptor.of(directory.resolve(sstable + "-Data.db")).orElseThrow();
    }

    /** Copies an SSTable of {@code nb} as one of {@code nc}: with a flag for deletions of partitions, a slice, first and last key. */
    public static Descriptor asOfDevelopment(Descriptor nb, Path directory) throws IOException {
        Descriptor nc = new Descriptor(directory, "nc", nb.generation(), nb.format());
        for (Component component : components(nb)) {
            byte[] bytes = bytes(nb, component);
            Files.write(nc.file(component), component == Component.STATISTICS ? withMoreStatistics(bytes) : bytes);
        }
        return nc;
    }

    /** The parts of the file: their number and its checksum, then kind and position of each and the checksum of all that. */
    private static byte[] withMoreStatistics(byte[] bytes) {
        byte[] more = {1, 0, 1, 0, 0, 6, 0, 0, 1, 'a', 1, 'z'};
        ByteBuffer old = ByteBuffer.wrap(bytes);
        int statsAt = old.getInt(2 * Integer.BYTES + 5 * Integer.BYTES);
        int headerAt = old.getInt(2 * Integer.BYTES + 7 * Integer.BYTES);
        ByteBuffer grown = ByteBuffer.allocate(bytes.length + more.length);
        grown.put(bytes, 0, headerAt - Integer.BYTES).put(more);
        grown.putInt((int) crc(Arrays.copyOfRange(grown.array(), statsAt, grown.position())));
        grown.put(bytes, headerAt, bytes.length - headerAt);
        grown.putInt(2 * Integer.BYTES + 7 * Integer.BYTES, headerAt + more.length);
        CRC32 crc = new CRC32();
        crc.update(grown.array(), 0, Integer.BYTES);
        crc.update(grown.array(), 2 * Integer.BYTES, 8 * Integer.BYTES);
        grown.putInt(10 * Integer.BYTES, (int) crc.getValue());
        return grown.array();
    }

    /** Replaces compressed data by the same data uncompressed. */
    public static void uncompress(Descriptor descriptor) throws IOException {
        byte[] data;
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            ChunkSource chunks = reader.chunks();
            data = new byte[(int) chunks.dataLengthBytes()];
            for (long chunk = 0; chunk < chunks.chunkCount(); chunk++) {
                chunks.readChunk(chunk, data, (int) (chunk * chunks.chunkLengthBytes()));
            }
        }
        Files.delete(descriptor.file(Component.COMPRESSION_INFO));
        String toc = Files.readString(descriptor.file(Component.TOC)).replace("CompressionInfo.db", "CRC.db");
        Files.writeString(descriptor.file(Component.TOC), toc);
        writeUncompressed(descriptor, data);
    }

    /** Writes uncompressed data with checksums that fit it, whatever it is. */
    public static void writeUncompressed(Descriptor descriptor, byte[] data) throws IOException {
        overwrite(descriptor.file(Component.DATA), data);
        int chunks = (data.length + CRC_CHUNK_BYTES - 1) / CRC_CHUNK_BYTES;
        ByteBuffer crcs = ByteBuffer.allocate(4 + 4 * chunks).putInt(CRC_CHUNK_BYTES);
        for (int i = 0; i < chunks; i++) {
            int from = i * CRC_CHUNK_BYTES;
            crcs.putInt((int) crc(Arrays.copyOfRange(data, from, Math.min(data.length, from + CRC_CHUNK_BYTES))));
        }
        overwrite(descriptor.file(Component.CRC), crcs.array());
        overwrite(descriptor.file(Component.DIGEST), ascii(Long.toString(crc(data))));
    }

    /** Overwrites in place: a file system may sync what is emptied and written anew, thousands of times here. */
    public static void overwrite(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes));
            if (channel.size() > bytes.length) {
                channel.truncate(bytes.length);
            }
        }
    }

    public static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    public static List<String> rows(Descriptor descriptor) throws IOException {
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            return rows(reader, TokenRange.Linear.ALL);
        }
    }

    public static List<String> rows(DataReader reader, TokenRange.Linear range) throws IOException {
        try (FragmentCursor cursor = reader.scan(reader.headerSchema(), range)) {
            return rows(cursor);
        }
    }

    /** Every fragment that the cursor still holds. */
    public static List<String> rows(FragmentCursor cursor) throws IOException {
        List<String> rows = new ArrayList<>();
        FragmentKind kind;
        while ((kind = cursor.advance()) != null) {
            rows.add(text(cursor, kind));
        }
        return rows;
    }

    public static List<Component> components(Descriptor descriptor) {
        return Arrays.stream(Component.values()).filter(descriptor::has).toList();
    }

    public static byte[] bytes(Descriptor descriptor, Component component) {
        try {
            return Files.readAllBytes(descriptor.file(component));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String text(FragmentCursor cursor, FragmentKind kind) {
        return switch (kind) {
            case PARTITION_START ->
                "partition " + cursor.key().toDecoratedKey()
                        + deletion(
                                cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds());
            case STATIC_ROW, CLUSTERING_ROW -> text(cursor.row());
            case RANGE_TOMBSTONE_CHANGE -> {
                RangeTombstoneChange change = cursor.rangeTombstoneChange();
                yield "change " + text(change.prefix()) + " " + change.weight()
                        + deletion(change.timestampMicros(), change.localDeletionTimeSeconds());
            }
            case PARTITION_END -> "end";
        };
    }

    private static String deletion(long micros, long seconds) {
        return " -" + micros + "/" + seconds;
    }

    private static String text(Clustering clustering) {
        StringBuilder out = new StringBuilder();
        append(clustering, out);
        return out.toString();
    }

    private static void append(Clustering clustering, StringBuilder out) {
        out.append('(');
        for (int i = 0; i < clustering.size(); i++) {
            appendHex(clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i), out);
            out.append(',');
        }
        out.append(')');
    }

    private static String text(Row row) {
        StringBuilder out = new StringBuilder(256).append(row.isStatic() ? "static " : "row ");
        append(row.clustering(), out);
        out.append(" @")
                .append(row.livenessTimestampMicros())
                .append('/')
                .append(row.livenessTtlSeconds())
                .append('/')
                .append(row.livenessExpirySeconds())
                .append(deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds()));
        for (int i = 0; i < row.entryCount(); i++) {
            out.append(row.isComplexDeletion(i) ? " x" : " c")
                    .append(row.columnIndex(i))
                    .append('[');
            appendHex(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i), out);
            out.append("]=");
            appendHex(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i), out);
            out.append('@')
                    .append(row.timestampMicros(i))
                    .append('/')
                    .append(row.ttlSeconds(i))
                    .append('/')
                    .append(row.localDeletionTimeSeconds(i));
        }
        return out.toString();
    }

    /** By hand, since tests make this text many million times. */
    private static void appendHex(byte[] buffer, int offset, int length, StringBuilder out) {
        if (length < 0) {
            out.append("null");
        }
        for (int i = offset; i < offset + length; i++) {
            out.append(HEX.charAt(buffer[i] >> 4 & 15)).append(HEX.charAt(buffer[i] & 15));
        }
    }

    public static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
