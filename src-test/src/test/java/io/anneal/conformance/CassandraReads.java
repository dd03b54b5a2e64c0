package io.anneal.conformance;

import io.anneal.bench.peer.BoundStatement;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.conformance.LiveRows.LiveRow;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** Reads a table of a real Cassandra in every way that its indexes serve, and compares with the rows that should be there. */
final class CassandraReads {
    private static final int POINTS_MAX = 3;

    private final CassandraPeer peer;
    private final TableSchema schema;
    private final long nowSeconds;
    private final String select;

    CassandraReads(CassandraPeer peer, TableSchema schema, long nowSeconds) {
        this.peer = peer;
        this.schema = schema;
        this.nowSeconds = nowSeconds;
        select = "SELECT JSON * FROM " + schema.qualifiedName();
    }

    /** Every row there is. */
    List<String> all() {
        return rows(select, List.of());
    }

    /** All at once, key by key, row by row, and slices of partitions both ways. */
    void assertSame(Collection<DecoratedKey> keys, List<LiveRow> rows) {
        Differences.assertSame(select, JsonRows.of(rows), all());
        for (DecoratedKey key : keys) {
            List<LiveRow> partition =
                    rows.stream().filter(row -> row.key().equals(key)).toList();
            assertPartition(key, partition);
        }
    }

    private void assertPartition(DecoratedKey key, List<LiveRow> partition) {
        List<byte[]> bound = components(key.bytes());
        String selectKey = select + where(" WHERE ", schema.partitionKey());
        assertSame(selectKey, bound, partition);
        if (partition.isEmpty()
                || partition.get(0).clustering() == null
                || schema.clustering().isEmpty()) {
            return;
        }
        for (int i = 0; i < partition.size(); i += 1 + partition.size() / POINTS_MAX) {
            LiveRow row = partition.get(i);
            List<byte[]> all = new ArrayList<>(bound);
            schema.clustering().forEach(column -> all.add(component(row, column.index())));
            assertSame(selectKey + where(" AND ", schema.clustering()), all, List.of(row));
        }
        if (partition.size() > 1) {
            assertSlices(selectKey, bound, partition);
        }
    }

    /** The whole partition backwards; from and up to a row in it, both ways. */
    private void assertSlices(String selectKey, List<byte[]> key, List<LiveRow> partition) {
        Column first = schema.clustering().get(0);
        String name = RandomWrites.quoted(first.name());
        String backwards = " ORDER BY " + name + (first.type().isReversed() ? " ASC" : " DESC");
        assertSame(selectKey + backwards, key, reversed(partition));

        for (int i = 1; i < partition.size(); i += 1 + partition.size() / 2) {
            byte[] bound = component(partition.get(i), 0);
            List<byte[]> values = new ArrayList<>(key);
            values.add(bound);
            for (String operator : i % 2 == 0 ? List.of("<", ">=") : List.of("<=", ">")) {
                List<LiveRow> expected = partition.stream()
                        .filter(row -> compares(first.type().ascending(), component(row, 0), operator, bound))
                        .toList();
                String slice = selectKey + " AND " + name + " " + operator + " ?";
                assertSame(slice, values, expected);
                assertSame(slice + backwards, values, reversed(expected));
            }
        }
    }

    private void assertSame(String statement, List<byte[]> values, List<LiveRow> expected) {
        Differences.assertSame(statement, JsonRows.of(expected), rows(statement, values));
    }

    private List<String> rows(String statement, List<byte[]> values) {
        List<BoundStatement> statements = List.of(new BoundStatement(statement, values));
        return JsonRows.ofDocuments(peer.executeBound(nowSeconds, statements).column("[json]"));
    }

    private static String where(String begin, List<Column> columns) {
        StringBuilder text = new StringBuilder();
        for (Column column : columns) {
            text.append(text.isEmpty() ? begin : " AND ")
                    .append(RandomWrites.quoted(column.name()))
                    .append(" = ?");
        }
        return text.toString();
    }

    private List<byte[]> components(byte[] key) {
        if (schema.partitionKey().size() == 1) {
            return List.of(key);
        }
        List<byte[]> components = new ArrayList<>();
        int offset = 0;
        for (int i = 0; i < schema.partitionKey().size(); i++) {
            int length = Short.toUnsignedInt(ByteBuffer.wrap(key).getShort(offset));
            offset += Short.BYTES;
            components.add(Arrays.copyOfRange(key, offset, offset + length));
            offset += length + 1;
        }
        return components;
    }

    private static byte[] component(LiveRow row, int index) {
        Clustering clustering = row.clustering();
        int offset = clustering.offset(index);
        return Arrays.copyOfRange(clustering.buffer(), offset, offset + clustering.lengthBytes(index));
    }

    private static boolean compares(CqlType type, byte[] value, String operator, byte[] bound) {
        int order = type.compare(value, 0, value.length, bound, 0, bound.length);
        return order == 0 ? operator.endsWith("=") : order < 0 == operator.startsWith("<");
    }

    private static <T> List<T> reversed(List<T> list) {
        List<T> copy = new ArrayList<>(list);
        Collections.reverse(copy);
        return copy;
    }
}
