package io.anneal.sstable.data;

import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Partitioner;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.big.BigFormat;
import io.anneal.sstable.file.ChunkSource;
import io.anneal.sstable.row.ColumnMapping;
import io.anneal.sstable.row.RowDecoder;
import io.anneal.sstable.row.SerializationHeader;
import io.anneal.sstable.row.SerializationHeader.HeaderColumn;
import io.anneal.sstable.row.UnfilteredFlags;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Data written by hand in memory: partitions of rows with a clustering, a simple and a complex column, all expiring. */
public final class SyntheticData {
    private static final SerializationHeader HEADER = new SerializationHeader(
            0,
            0,
            0,
            List.of(CqlTypes.INT),
            List.of(CqlTypes.INT),
            List.of(),
            List.of(
                    new HeaderColumn("v", CqlTypes.BLOB),
                    new HeaderColumn("m", CqlTypes.map(CqlTypes.INT, CqlTypes.INT))));

    private SyntheticData() {}

    /** Whole data, as {@link BigFormat} lays it out; {@code valueLengths} says how long each row's value is. */
    public static byte[] data(int partitions, int rows, IntUnaryOperator valueLengths) {
        ByteWriter out = new ByteWriter(1 << 16);
        ByteWriter body = new ByteWriter(1 << 16);
        List<DecoratedKey> keys = IntStream.range(0, partitions)
                .mapToObj(p -> DecoratedKey.of(ByteBuffer.allocate(4).putInt(p).array()))
                .sorted()
                .toList();
        for (DecoratedKey key : keys) {
            out.writeShort(4);
            out.writeBytes(key.bytes());
            out.writeInt(Integer.MAX_VALUE);
            out.writeLong(Long.MIN_VALUE);
            for (int row = 0; row < rows; row++) {
                writeRow(out, body, row, valueLengths.applyAsInt(row));
            }
            out.writeByte(UnfilteredFlags.END_OF_PARTITION);
        }
        return out.toByteArray();
    }

    private static void writeRow(ByteWriter out, ByteWriter body, int row, int valueLength) {
        body.clear();
        body.writeUnsignedVInt(0);
        body.writeUnsignedVInt(1000 + row);
        body.writeUnsignedVInt(60);
        body.writeUnsignedVInt(100_000);
        body.writeByte(UnfilteredFlags.CELL_USES_ROW_TIMESTAMP
                | UnfilteredFlags.CELL_IS_EXPIRING
                | UnfilteredFlags.CELL_USES_ROW_TTL);
        body.writeUnsignedVInt(valueLength);
        byte[] value = new byte[valueLength];
        Arrays.fill(value, (byte) row);
        body.writeBytes(value);
        body.writeUnsignedVInt(2);
        for (int cell = 0; cell < 2; cell++) {
            body.writeByte(0);
            body.writeUnsignedVInt(2000 + row);
            body.writeUnsignedVInt(4);
            body.writeInt(cell);
            body.writeUnsignedVInt(4);
            body.writeInt(row);
        }
        out.writeByte(UnfilteredFlags.HAS_TIMESTAMP | UnfilteredFlags.HAS_TTL | UnfilteredFlags.HAS_ALL_COLUMNS);
        out.writeUnsignedVInt(0);
        out.writeInt(row);
        out.writeUnsignedVInt(body.lengthBytes());
        out.writeBytes(body.array(), 0, body.lengthBytes());
    }

    /** Writes such data as a whole SSTable in small chunks and with small blocks. */
    public static Descriptor sstable(Path directory, int partitions, int rows, Compression compression)
            throws IOException {
        SSTableWriterConfig config = SSTableWriterConfig.defaults(partitions)
                .withCompression(compression.withChunkLengthBytes(1024))
                .withColumnIndexSizeBytes(512);
        byte[] data = data(partitions, rows, row -> 10 + row % 50);
        try (DataCursor cursor = cursor(data, data.length);
                FragmentWriter writer = new BigFormat().write(directory, "1", cursor.schema(), config)) {
            writer.append(cursor);
            return writer.finish();
        }
    }

    /** A cursor over data in memory, read in chunks of {@code chunkLengthBytes}. */
    public static DataCursor cursor(byte[] data, int chunkLengthBytes) throws IOException {
        Path file = Path.of("synthetic-Data.db");
        TableSchema schema = TableSchema.builder("ks", "t")
                .column("p", CqlTypes.INT, Column.Kind.PARTITION_KEY)
                .column("c", CqlTypes.INT, Column.Kind.CLUSTERING)
                .column("v", CqlTypes.BLOB, Column.Kind.REGULAR)
                .column("m", CqlTypes.map(CqlTypes.INT, CqlTypes.INT), Column.Kind.REGULAR)
                .build();
        RowDecoder rows = new RowDecoder(
                SSTableVersion.NB,
                HEADER,
                schema,
                ColumnMapping.of(List.of(), Column.Kind.STATIC, schema, file),
                ColumnMapping.of(HEADER.regularColumns(), Column.Kind.REGULAR, schema, file));
        return new DataCursor(
                null,
                Partitioner.MURMUR3,
                schema,
                TokenRange.Linear.ALL,
                chunks(data, chunkLengthBytes, file),
                rows,
                HEADER);
    }

    public static ChunkSource chunks(byte[] data, int chunkLengthBytes, Path file) {
        return new ChunkSource(file, chunkLengthBytes, data.length) {
            @Override
            public void readChunk(long chunk, byte[] target, int offset) {
                int from = (int) (chunk * chunkLengthBytes());
                System.arraycopy(data, from, target, offset, chunkLengthBytes(chunk));
            }
        };
    }
}
