package io.anneal.memtable;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A table of numbers: {@code k bigint, c int, s int static, v int, m map<int, int>}, and writes to it. */
final class SmallTable {
    static final TableSchema SCHEMA = TableSchema.builder("ks", "small")
            .column("k", CqlTypes.BIGINT, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.INT, Column.Kind.CLUSTERING)
            .column("s", CqlTypes.INT, Column.Kind.STATIC)
            .column("v", CqlTypes.INT, Column.Kind.REGULAR)
            .column("b", CqlTypes.BLOB, Column.Kind.REGULAR)
            .column("m", CqlTypes.map(CqlTypes.INT, CqlTypes.INT), Column.Kind.REGULAR)
            .build();
    static final int S = index(SCHEMA.staticColumns(), "s");
    static final int V = index(SCHEMA.regularColumns(), "v");
    static final int B = index(SCHEMA.regularColumns(), "b");
    static final int M = index(SCHEMA.regularColumns(), "m");

    private SmallTable() {}

    private static int index(List<Column> columns, String name) {
        return columns.stream()
                .filter(column -> column.name().equals(name))
                .findFirst()
                .orElseThrow()
                .index();
    }

    static DecoratedKey key(long k) {
        return DecoratedKey.of(ByteBuffer.allocate(Long.BYTES).putLong(k).array());
    }

    static byte[] number(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    static Clustering clustering(int c) {
        return Clustering.of(number(c));
    }

    static Row row(int c, long micros, int v) {
        return cell(emptyRow(c), V, micros, number(v));
    }

    static Row emptyRow(int c) {
        Row row = new Row();
        row.clustering().wrap(clustering(c));
        return row;
    }

    static Row staticRow(long micros, int s) {
        Row row = new Row();
        row.clear(true);
        return cell(row, S, micros, number(s));
    }

    static Row cell(Row row, int column, long micros, byte[] value) {
        row.addCell(column, micros, value, 0, value.length);
        return row;
    }

    static Row entry(int c, long micros, int path, int value) {
        Row row = emptyRow(c);
        row.addCell(M, micros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.path(number(path), 0, Integer.BYTES);
        row.value(number(value), 0, Integer.BYTES);
        return row;
    }

    /** Of {@code from} and all that follow, but for {@code to}. */
    static RangeDeletion range(int from, int to, long micros) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(clustering(from));
        range.end().wrap(clustering(to));
        range.weights(ClusteringComparator.BEFORE, ClusteringComparator.BEFORE);
        range.deletion(micros, 1000);
        return range;
    }

    static Mutation mutation(long k, Row... rows) {
        Mutation.Builder builder = Mutation.builder(SCHEMA, key(k));
        for (Row row : rows) {
            builder.row(row);
        }
        return builder.build();
    }

    static Mutation mutation(long k, RangeDeletion range) {
        return Mutation.builder(SCHEMA, key(k)).rangeDeletion(range).build();
    }

    /** The rows and their numbers, the static one as {@code s=}, others as {@code c=v}; changes as {@code c@micros}. */
    static List<String> read(FragmentCursor cursor) throws IOException {
        List<String> lines = new ArrayList<>();
        FragmentKind kind;
        while ((kind = cursor.advance()) != null) {
            switch (kind) {
                case PARTITION_START -> {
                    if (cursor.partitionDeletionTimestampMicros() != DeletionTime.NO_TIMESTAMP) {
                        lines.add("deleted@" + cursor.partitionDeletionTimestampMicros());
                    }
                }
                case STATIC_ROW -> lines.add("s=" + number(cursor.row(), 0));
                case CLUSTERING_ROW -> lines.add(c(cursor.row().clustering()) + "=" + number(cursor.row(), 0));
                case RANGE_TOMBSTONE_CHANGE ->
                    lines.add(c(cursor.rangeTombstoneChange().prefix()) + "@"
                            + (cursor.rangeTombstoneChange().isLive()
                                    ? "live"
                                    : cursor.rangeTombstoneChange().timestampMicros()));
                case PARTITION_END -> {}
            }
        }
        return lines;
    }

    static int number(Row row, int entry) {
        return ByteBuffer.wrap(row.valueBuffer(entry)).getInt(row.valueOffset(entry));
    }

    static int c(Clustering clustering) {
        return ByteBuffer.wrap(clustering.buffer()).getInt(clustering.offset(0));
    }
}
