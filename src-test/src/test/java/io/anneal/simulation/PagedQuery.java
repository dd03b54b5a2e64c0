package io.anneal.simulation;

import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.TokenRange;
import io.anneal.paging.PagedTable;
import io.anneal.paging.Scan;
import io.anneal.paging.query.Condition;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * What a reading asks for, and by a naive rule which rows that is, in what order.
 *
 * @param ranges none for the whole table
 * @param limit rows at most
 * @param secret signs cookies; empty for none
 */
record PagedQuery(
        List<TokenRange> ranges,
        List<Condition> conditions,
        boolean reversed,
        boolean stateful,
        long limit,
        byte[] secret) {

    Scan of(PagedTable table) {
        Scan scan = ranges.isEmpty() ? table.scan() : table.scan(ranges.toArray(TokenRange[]::new));
        for (Condition condition : conditions) {
            scan = scan.where(condition);
        }
        scan = reversed ? scan.reversed() : scan;
        scan = stateful ? scan : scan.stateless();
        scan = secret.length == 0 ? scan : scan.signedWith(secret);
        return scan.limit(limit);
    }

    boolean wants(ShownRow row, TableSchema schema) {
        long token = row.key().token();
        return (ranges.isEmpty() || ranges.stream().anyMatch(range -> range.contains(token)))
                && conditions.stream().allMatch(condition -> holds(condition, row, schema));
    }

    private static boolean holds(Condition condition, ShownRow row, TableSchema schema) {
        Column column = schema.column(condition.column()).orElseThrow();
        byte[] value = value(row, column, schema);
        return value != null
                && condition.values().stream()
                        .anyMatch(wanted -> holds(condition.operator(), compare(column.type(), value, wanted)));
    }

    private static int compare(CqlType type, byte[] left, byte[] right) {
        return type.ascending().compare(left, 0, left.length, right, 0, right.length);
    }

    private static boolean holds(Condition.Operator operator, int comparison) {
        return switch (operator) {
            case EQUAL, IN -> comparison == 0;
            case NOT_EQUAL -> comparison != 0;
            case LESS -> comparison < 0;
            case AT_MOST -> comparison <= 0;
            case GREATER -> comparison > 0;
            case AT_LEAST -> comparison >= 0;
        };
    }

    /** What a row has in a column of one value; null where it has none. */
    static byte[] value(ShownRow row, Column column, TableSchema schema) {
        return switch (column.kind()) {
            case PARTITION_KEY -> component(row.key().bytes(), column.index(), schema);
            case CLUSTERING -> row.clustering() == null ? null : component(row.clustering(), column.index());
            case STATIC -> cell(row.staticRow(), column.index());
            case REGULAR -> cell(row.row(), column.index());
        };
    }

    private static byte[] component(byte[] key, int index, TableSchema schema) {
        if (schema.partitionKey().size() == 1) {
            return key;
        }
        ByteBuffer rest = ByteBuffer.wrap(key);
        for (int i = 0; ; i++) {
            byte[] value = new byte[Short.toUnsignedInt(rest.getShort())];
            rest.get(value).get();
            if (i == index) {
                return value;
            }
        }
    }

    private static byte[] component(Clustering clustering, int index) {
        int offset = clustering.offset(index);
        return clustering.isAbsent(index)
                ? null
                : Arrays.copyOfRange(clustering.buffer(), offset, offset + clustering.lengthBytes(index));
    }

    private static byte[] cell(Row row, int column) {
        for (int i = 0; row != null && i < row.entryCount(); i++) {
            if (row.columnIndex(i) == column) {
                int offset = row.valueOffset(i);
                return Arrays.copyOfRange(row.valueBuffer(i), offset, offset + row.valueLengthBytes(i));
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return "ranges=" + ranges + ", conditions="
                + conditions.stream()
                        .map(condition ->
                                condition.column() + condition.operator().text() + text(condition.values()))
                        .toList()
                + ", reversed=" + reversed + ", stateful=" + stateful + ", limit=" + limit + ", signed="
                + (secret.length > 0);
    }

    private static List<String> text(List<byte[]> values) {
        return values.stream().map(HexFormat.of()::formatHex).toList();
    }

    /** In the order in which rows come. */
    int compare(ShownRow left, ShownRow right, TableSchema schema) {
        int byRange = Integer.compare(rangeOf(left), rangeOf(right));
        int byKey = byRange != 0 ? byRange : left.key().compareTo(right.key());
        if (byKey != 0 || left.clustering() == null || right.clustering() == null) {
            // A static row that is alone comes before all rows that are there at another time.
            return byKey != 0 ? byKey : Boolean.compare(left.clustering() != null, right.clustering() != null);
        }
        int comparison = ClusteringComparator.of(schema).compare(left.clustering(), right.clustering());
        return reversed ? -comparison : comparison;
    }

    /** A range that goes over the end of the tokens is two, the higher one first. */
    private int rangeOf(ShownRow row) {
        List<TokenRange.Linear> parts =
                ranges.stream().flatMap(range -> range.unwrap().stream()).toList();
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i).contains(row.key().token())) {
                return i;
            }
        }
        return 0;
    }
}
