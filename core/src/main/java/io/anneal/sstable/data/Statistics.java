package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableStatistics;
import io.anneal.sstable.UnsupportedSSTableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** Statistics.db: the package has the grammar. Every part's checksum is verified. Immutable. */
record Statistics(SerializationHeader header, TableSchema schema, SSTableStatistics data, double bloomFilterFpChance) {
    static final String PARTITIONER = "org.apache.cassandra.dht.Murmur3Partitioner";

    private static final int VALIDATION = 0;
    private static final int COMPACTION = 1;
    private static final int STATS = 2;
    private static final int HEADER = 3;
    private static final int TYPES = 4;
    private static final int CHECKSUM_BYTES = 4;
    private static final int BIN_BYTES = 16;

    /** Reads it; keyspace and table are names for the schema, which the file does not hold. */
    static Statistics read(Descriptor descriptor, String keyspace, String table) throws IOException {
        Path file = descriptor.file(Component.STATISTICS);
        ByteReader in = new ByteReader(ComponentFiles.readWhole(descriptor, Component.STATISTICS));
        try {
            return parse(file, in, keyspace, table);
        } catch (ByteUnderflowException e) {
            throw new CorruptSSTableException(file, in.offset(), "statistics end too early", e);
        } catch (SchemaException | IllegalArgumentException e) {
            throw new CorruptSSTableException(file, in.offset(), "header holds no schema: " + e.getMessage(), e);
        } catch (UnsupportedTypeException e) {
            throw new UnsupportedSSTableException(file, "type", e.getMessage(), "types of CQL");
        }
    }

    private static Statistics parse(Path file, ByteReader in, String keyspace, String table) throws IOException {
        int count = in.readInt();
        requireChecksum(file, in, 0, Integer.BYTES);
        if (count < 0 || count > TYPES) {
            throw new CorruptSSTableException(file, 0, "wrong number of parts, count=" + count);
        }
        int[] positions = new int[TYPES];
        int[] ends = new int[TYPES];
        int tocStart = in.offset();
        int lastType = -1;
        for (int i = 0; i < count; i++) {
            int type = in.readInt();
            if (type <= lastType || type >= TYPES) {
                throw new CorruptSSTableException(file, in.offset(), "parts are out of order, type=" + type);
            }
            positions[type] = in.readInt();
            if (lastType >= 0) {
                ends[lastType] = positions[type];
            }
            ends[type] = in.limit();
            lastType = type;
        }
        CRC32 crc = new CRC32();
        crc.update(in.array(), 0, CHECKSUM_BYTES);
        crc.update(in.array(), tocStart, in.offset() - tocStart);
        requireChecksum(file, in, crc, tocStart);

        ByteReader validation = part(file, in, positions[VALIDATION], ends[VALIDATION]);
        String partitioner = ComponentFiles.readUtf(validation);
        if (!partitioner.equals(PARTITIONER)) {
            throw new UnsupportedSSTableException(file, "partitioner", partitioner, PARTITIONER);
        }
        double bloomFilterFpChance = Double.longBitsToDouble(validation.readLong());
        if (ends[COMPACTION] > 0) {
            part(file, in, positions[COMPACTION], ends[COMPACTION]);
        }
        SSTableStatistics data = stats(file, part(file, in, positions[STATS], ends[STATS]));
        SerializationHeader header = SerializationHeader.parse(part(file, in, positions[HEADER], ends[HEADER]));
        return new Statistics(header, header.toSchema(keyspace, table), data, bloomFilterFpChance);
    }

    /** A reader over one part, its checksum, the last four bytes, verified. */
    private static ByteReader part(Path file, ByteReader in, int position, int end) throws CorruptSSTableException {
        if (position <= 0 || end > in.limit() || end - position < CHECKSUM_BYTES) {
            throw new CorruptSSTableException(file, position, "part of statistics is missing or misplaced");
        }
        int lengthBytes = end - position - CHECKSUM_BYTES;
        in.seek(position + lengthBytes);
        requireChecksum(file, in, position, lengthBytes);
        return new ByteReader().wrap(in.array(), position, lengthBytes);
    }

    private static void requireChecksum(Path file, ByteReader in, int from, int lengthBytes)
            throws CorruptSSTableException {
        CRC32 crc = new CRC32();
        crc.update(in.array(), from, lengthBytes);
        requireChecksum(file, in, crc, from);
    }

    private static void requireChecksum(Path file, ByteReader in, CRC32 crc, int from) throws CorruptSSTableException {
        if (in.readInt() != (int) crc.getValue()) {
            throw new CorruptSSTableException(file, from, "checksum of statistics does not match");
        }
    }

    private static SSTableStatistics stats(Path file, ByteReader in) throws CorruptSSTableException {
        long partitions = histogramTotal(in);
        histogramTotal(in);
        skipCommitLogPosition(in);
        long minTimestampMicros = in.readLong();
        long maxTimestampMicros = in.readLong();
        long minLocalDeletionTimeSeconds = legacyDeletionTime(in.readInt());
        long maxLocalDeletionTimeSeconds = legacyDeletionTime(in.readInt());
        int minTtlSeconds = in.readInt();
        int maxTtlSeconds = in.readInt();
        in.readLong(); // compression ratio
        in.readInt(); // most bins of the tombstone histogram
        in.skip(BIN_BYTES * count(file, in, BIN_BYTES));
        int level = in.readInt();
        long repairedAtMillis = in.readLong();
        skipClusterings(file, in);
        skipClusterings(file, in);
        boolean hasLegacyCounterShards = in.readByte() != 0;
        long totalColumnsSet = in.readLong();
        long totalRows = in.readLong();
        return new SSTableStatistics(
                minTimestampMicros,
                maxTimestampMicros,
                minLocalDeletionTimeSeconds,
                maxLocalDeletionTimeSeconds,
                minTtlSeconds,
                maxTtlSeconds,
                totalRows,
                totalColumnsSet,
                level,
                repairedAtMillis,
                hasLegacyCounterShards,
                partitions);
    }

    private static long legacyDeletionTime(int seconds) {
        return seconds == Integer.MAX_VALUE ? DeletionTime.NO_DELETION_TIME : seconds;
    }

    /** Reads how many elements of a size follow; no more than have room. */
    private static int count(Path file, ByteReader in, int elementBytes) throws CorruptSSTableException {
        int count = in.readInt();
        if (count < 0 || count > in.remainingBytes() / elementBytes) {
            throw new CorruptSSTableException(file, in.offset(), "count is out of range, count=" + count);
        }
        return count;
    }

    /** Passes over an estimated histogram and returns how many values it counted. */
    private static long histogramTotal(ByteReader in) {
        int buckets = in.readInt();
        long total = 0;
        for (int i = 0; i < buckets; i++) {
            in.readLong();
            total += in.readLong();
        }
        return total;
    }

    private static void skipCommitLogPosition(ByteReader in) {
        in.skip(Long.BYTES + Integer.BYTES);
    }

    private static void skipClusterings(Path file, ByteReader in) throws CorruptSSTableException {
        int components = count(file, in, Short.BYTES);
        for (int i = 0; i < components; i++) {
            in.skip(in.readUnsignedShort());
        }
    }
}
