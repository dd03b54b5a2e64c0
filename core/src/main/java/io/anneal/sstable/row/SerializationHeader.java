package io.anneal.sstable.row;

import io.anneal.io.ByteReader;
import io.anneal.key.PartitionerDefinedOrder;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import io.anneal.schema.TypeParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The header part of Statistics: what rows are encoded relative to, and the columns that they have. The package
 * {@code sstable.statistics} has the grammar. Immutable.
 */
public record SerializationHeader(
        long minTimestampMicros,
        long minLocalDeletionTimeSeconds,
        int minTtlSeconds,
        List<CqlType> keyTypes,
        List<CqlType> clusteringTypes,
        List<HeaderColumn> staticColumns,
        List<HeaderColumn> regularColumns) {
    /** 22 September 2015, 0:00 UTC: what the minima themselves are written relative to. */
    static final long EPOCH_SECONDS = 1_442_880_000L;

    static final long EPOCH_MICROS = EPOCH_SECONDS * 1_000_000L;

    /** A static or regular column as the file knows it. */
    public record HeaderColumn(String name, CqlType type) {}

    public static SerializationHeader parse(ByteReader in) {
        long minTimestampMicros = in.readUnsignedVInt() + EPOCH_MICROS;
        long minLocalDeletionTimeSeconds = (int) in.readUnsignedVInt() + EPOCH_SECONDS;
        int minTtlSeconds = (int) in.readUnsignedVInt();
        List<CqlType> keyTypes = TypeParser.components(text(in));
        int clusteringCount = in.readUnsignedVInt32();
        List<CqlType> clusteringTypes = new ArrayList<>();
        for (int i = 0; i < clusteringCount; i++) {
            clusteringTypes.add(PartitionerDefinedOrder.parseClustering(text(in)));
        }
        return new SerializationHeader(
                minTimestampMicros,
                minLocalDeletionTimeSeconds,
                minTtlSeconds,
                keyTypes,
                List.copyOf(clusteringTypes),
                columns(in),
                columns(in));
    }

    private static List<HeaderColumn> columns(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<HeaderColumn> columns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = text(in);
            columns.add(new HeaderColumn(name, TypeParser.parse(text(in))));
        }
        return List.copyOf(columns);
    }

    /** The same with other types of the components of the key. */
    public SerializationHeader withKeyTypes(List<CqlType> types) {
        return new SerializationHeader(
                minTimestampMicros,
                minLocalDeletionTimeSeconds,
                minTtlSeconds,
                List.copyOf(types),
                clusteringTypes,
                staticColumns,
                regularColumns);
    }

    public static String text(ByteReader in) {
        int lengthBytes = in.readUnsignedVInt32();
        int offset = in.skip(lengthBytes);
        return new String(in.array(), offset, lengthBytes, StandardCharsets.UTF_8);
    }

    /** The schema that can be known from the header: names of key and clustering columns are those that sstabledump makes up. */
    public TableSchema toSchema(String keyspace, String table) {
        Set<String> taken = new HashSet<>();
        staticColumns.forEach(c -> taken.add(c.name()));
        regularColumns.forEach(c -> taken.add(c.name()));
        TableSchema.Builder builder = TableSchema.builder(keyspace, table);
        for (int i = 0; i < keyTypes.size(); i++) {
            builder.column(madeUp("PartitionKey", i, taken), keyTypes.get(i), Column.Kind.PARTITION_KEY);
        }
        for (int i = 0; i < clusteringTypes.size(); i++) {
            builder.column(madeUp("clustering", i, taken), clusteringTypes.get(i), Column.Kind.CLUSTERING);
        }
        staticColumns.forEach(c -> builder.column(c.name(), c.type(), Column.Kind.STATIC));
        regularColumns.forEach(c -> builder.column(c.name(), c.type(), Column.Kind.REGULAR));
        return builder.build();
    }

    private static String madeUp(String stem, int index, Set<String> taken) {
        String name = index == 0 ? stem : stem + index;
        while (!taken.add(name)) {
            name += "_";
        }
        return name;
    }
}
