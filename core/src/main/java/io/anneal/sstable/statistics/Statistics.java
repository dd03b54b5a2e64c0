package io.anneal.sstable.statistics;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.Partitioner;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.UnsupportedSSTableException;
import io.anneal.sstable.file.ComponentFiles;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.SerializationHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32;

/**
 * Statistics.db: the package has the grammar. Every part's checksum is verified, where the version has them; where not,
 * lengths and counts must fit the file and parts must end where their content does. Immutable.
 */
public record Statistics(SerializationHeader header, TableSchema schema, SSTableMetadata metadata) {
    private static final int VALIDATION = 0;
    private static final int COMPACTION = 1;
    private static final int STATS = 2;
    private static final int HEADER = 3;
    private static final int TYPES = 4;
    private static final int CHECKSUM_BYTES = 4;

    /** Reads it; keyspace and table are names for the schema, which the file does not hold. */
    public static Statistics read(Descriptor descriptor, SSTableVersion version, String keyspace, String table)
            throws IOException {
        byte[] bytes = ComponentFiles.readWhole(descriptor, Component.STATISTICS);
        return new Parser(descriptor.file(Component.STATISTICS), version, bytes).parse(keyspace, table);
    }

    /** The parts of one file. */
    static final class Parser {
        private final Path file;
        private final SSTableVersion version;
        private final ByteReader in;
        private final boolean hasChecksums;
        private final int[] positions = new int[TYPES];
        private final int[] ends = new int[TYPES];
        private StatisticsDecoder decoder;

        Parser(Path file, SSTableVersion version, byte[] bytes) {
            this.file = file;
            this.version = version;
            in = new ByteReader(bytes);
            hasChecksums = version.isAtLeast(SSTableVersion.NA);
        }

        Statistics parse(String keyspace, String table) throws IOException {
            try {
                return parseParts(keyspace, table);
            } catch (ByteUnderflowException e) {
                throw new CorruptSSTableException(file, in.offset(), "statistics end too early", e);
            } catch (MalformedRowException e) {
                throw new CorruptSSTableException(
                        file, in.offset(), "statistics cannot be decoded: " + e.getMessage(), e);
            } catch (SchemaException | IllegalArgumentException e) {
                throw new CorruptSSTableException(file, in.offset(), "header holds no schema: " + e.getMessage(), e);
            } catch (UnsupportedTypeException e) {
                throw new UnsupportedSSTableException(
                        file, UnsupportedSSTableException.Feature.TYPE, e.getMessage(), "types of CQL");
            }
        }

        /** After {@link #parse}: where the fields of {@link #statsPart} were. */
        StatisticsDecoder decoder() {
            return decoder;
        }

        /** The statistics, with the offsets that the decoder tells. */
        ByteReader statsPart() throws CorruptSSTableException {
            return part(STATS);
        }

        /** The header of the rows. */
        ByteReader headerPart() throws CorruptSSTableException {
            return part(HEADER);
        }

        private Statistics parseParts(String keyspace, String table) throws IOException {
            readContents();

            ByteReader validation = part(VALIDATION);
            String className = ComponentFiles.readUtf(validation);
            double bloomFilterFpChance = Double.longBitsToDouble(validation.readLong());
            requireEnd(validation);

            OptionalLong keyCount =
                    ends[COMPACTION] > 0 ? KeyCardinality.estimate(part(COMPACTION)) : OptionalLong.empty();

            ByteReader headerPart = part(HEADER);
            SerializationHeader header = SerializationHeader.parse(headerPart);
            requireEnd(headerPart);
            boolean hasKeysOfMany = header.keyTypes().get(0).isMultiCell();
            Partitioner partitioner = Partitioner.of(className, hasKeysOfMany ? keysOfMany(header) : header.keyTypes())
                    .orElseThrow(() -> new UnsupportedSSTableException(
                            file,
                            UnsupportedSSTableException.Feature.PARTITIONER,
                            className,
                            Partitioner.ofTables().toString()));
            if (hasKeysOfMany) {
                List<CqlType> types = keysOfMany(header);
                header = header.withKeyTypes(types.isEmpty() ? List.of(CqlTypes.BLOB) : types);
            }

            ByteReader statsPart = part(STATS);
            decoder = new StatisticsDecoder(version, statsPart, header);
            SSTableMetadata metadata = decoder.decode(partitioner, bloomFilterFpChance, keyCount);
            // Development wrote more there, which no release reads; the checksum holds for it, too.
            if (version != SSTableVersion.NC) {
                requireEnd(statsPart);
            }
            return new Statistics(header, header.toSchema(keyspace, table), metadata);
        }

        /**
         * The types of the keys of an index on a collection, where the header tells the collection's. Since {@code oa} that is a
         * map, and keys are composites of its entries. Before, nobody tells whether keys are keys, values or entries.
         */
        private List<CqlType> keysOfMany(SerializationHeader header) {
            CqlType told = header.keyTypes().get(0);
            return version.isAtLeast(SSTableVersion.OA) && told.kind() == CqlType.Kind.MAP
                    ? told.components()
                    : List.of();
        }

        private void readContents() throws CorruptSSTableException {
            int count = in.readInt();
            CRC32 crc = new CRC32();
            crc.update(in.array(), 0, Integer.BYTES);
            requireChecksum(crc, 0);
            if (count < 0 || count > TYPES) {
                throw new CorruptSSTableException(file, 0, "wrong number of parts, count=" + count);
            }
            int contentsStart = in.offset();
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
            crc.update(in.array(), contentsStart, in.offset() - contentsStart);
            requireChecksum(crc, contentsStart);
        }

        /** A reader over one part, its checksum, the last four bytes, verified. */
        private ByteReader part(int type) throws CorruptSSTableException {
            int position = positions[type];
            long lengthBytes = (long) ends[type] - position - (hasChecksums ? CHECKSUM_BYTES : 0);
            if (position <= 0 || ends[type] > in.limit() || lengthBytes < 0) {
                throw new CorruptSSTableException(file, position, "part of statistics is missing or misplaced");
            }
            CRC32 crc = new CRC32();
            crc.update(in.array(), position, (int) lengthBytes);
            in.seek(position + (int) lengthBytes);
            requireChecksum(crc, position);
            return new ByteReader().wrap(in.array(), position, (int) lengthBytes);
        }

        private void requireChecksum(CRC32 crc, int from) throws CorruptSSTableException {
            if (hasChecksums && in.readInt() != (int) crc.getValue()) {
                throw new CorruptSSTableException(file, from, "checksum of statistics does not match");
            }
        }

        /** Cassandra may write a part longer than its content, with zeros. */
        private void requireEnd(ByteReader part) throws CorruptSSTableException {
            while (part.hasRemaining()) {
                if (part.readByte() != 0) {
                    throw new CorruptSSTableException(
                            file, part.offset() - 1L, "part of statistics is longer than what it holds");
                }
            }
        }
    }
}
