package io.anneal.sstable.statistics;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.key.Partitioner;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import io.anneal.schema.TypeParser;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableWriterConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The Statistics component: a table of contents and four parts (validation, compaction, statistics, header),
 * each behind a CRC32.
 *
 * <p>The header lists every static and regular column of the schema, dropped ones too: rows are encoded once, in order, so
 * the columns must be known before the first. Cassandra resolves a header's column among the table's live and dropped
 * columns; a schema that knows a column as dropped comes from a table that does too, hence it loads there. A column that
 * the table never had does not get into the schema and so not into a header.
 */
public final class StatisticsEncoder {
    private static final int PARTS = 4;
    private static final int CRC_BYTES = 4;

    private final TableSchema schema;
    private final SSTableWriterConfig config;

    public StatisticsEncoder(TableSchema schema, SSTableWriterConfig config) {
        this.schema = schema;
        this.config = config;
    }

    public void write(StatisticsCollector collector, double compressionRatio, Path file, OutputFile.Opener opener)
            throws IOException {
        ByteWriter[] parts = newParts();
        writeValidation(config.partitioner(), schema.options().bloomFilterFpChance(), parts[0]);
        collector.writeCardinality(parts[1]);
        collector.writeStats(config, compressionRatio, parts[2]);
        writeHeader(parts[3]);
        write(parts, file, opener);
    }

    /** Validation, compaction, statistics, header, all empty. */
    static ByteWriter[] newParts() {
        ByteWriter[] parts = new ByteWriter[PARTS];
        for (int i = 0; i < PARTS; i++) {
            parts[i] = new ByteWriter(8192);
        }
        return parts;
    }

    static void writeValidation(Partitioner partitioner, double bloomFilterFpChance, ByteWriter out) {
        writeText(partitioner.className(), out);
        out.writeLong(Double.doubleToRawLongBits(bloomFilterFpChance));
    }

    /** Writes the file; appends its checksum to each part. */
    static void write(ByteWriter[] parts, Path file, OutputFile.Opener opener) throws IOException {
        try (OutputFile out = OutputFile.open(file, opener)) {
            out.write(contents(parts));
            for (ByteWriter part : parts) {
                CRC32 crc = new CRC32();
                crc.update(part.array(), 0, part.lengthBytes());
                part.writeInt((int) crc.getValue());
                out.write(part);
            }
            out.sync();
        }
    }

    /** Number of parts, its checksum, kind and position of each part, a checksum of all the numbers so far. */
    private static ByteWriter contents(ByteWriter[] parts) {
        ByteWriter contents = new ByteWriter(64);
        CRC32 crc = new CRC32();
        contents.writeInt(parts.length);
        crc.update(contents.array(), 0, contents.lengthBytes());
        contents.writeInt((int) crc.getValue());
        int from = contents.lengthBytes();
        int position = Integer.BYTES + CRC_BYTES + parts.length * 2 * Integer.BYTES + CRC_BYTES;
        for (int i = 0; i < parts.length; i++) {
            contents.writeInt(i);
            contents.writeInt(position);
            position += parts[i].lengthBytes() + CRC_BYTES;
        }
        crc.update(contents.array(), from, contents.lengthBytes() - from);
        contents.writeInt((int) crc.getValue());
        return contents;
    }

    private void writeHeader(ByteWriter out) {
        EncodingBase base = config.base();
        out.writeUnsignedVInt(base.timestampMicros() - EncodingBase.EPOCH.timestampMicros());
        out.writeUnsignedVInt(base.localDeletionTimeSeconds() - EncodingBase.EPOCH.localDeletionTimeSeconds());
        out.writeUnsignedVInt(base.ttlSeconds() - EncodingBase.EPOCH.ttlSeconds());
        writeType(keyTypeName(), out);
        out.writeUnsignedVInt(schema.clustering().size());
        for (Column column : schema.clustering()) {
            writeType(column.type().className(), out);
        }
        writeColumns(schema.staticColumns(), out);
        writeColumns(schema.regularColumns(), out);
    }

    private String keyTypeName() {
        return TypeParser.compositeClassName(
                schema.partitionKey().stream().map(Column::type).toList());
    }

    private static void writeColumns(List<Column> columns, ByteWriter out) {
        out.writeUnsignedVInt(columns.size());
        for (Column column : columns) {
            byte[] name = column.nameBytes();
            out.writeUnsignedVInt(name.length);
            out.writeBytes(name);
            writeType(column.type().className(), out);
        }
    }

    static void writeType(String className, ByteWriter out) {
        byte[] name = className.getBytes(StandardCharsets.UTF_8);
        out.writeUnsignedVInt(name.length);
        out.writeBytes(name);
    }

    private static void writeText(String text, ByteWriter out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length);
        out.writeBytes(bytes);
    }
}
