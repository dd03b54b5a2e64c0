package io.anneal.store;

import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Collects the values of key columns by name. One thread. */
final class KeyBuilder {
    private final TableSchema schema;
    private final byte[][] partitionKey;
    private final byte[][] clustering;

    KeyBuilder(TableSchema schema) {
        this.schema = schema;
        partitionKey = new byte[schema.partitionKey().size()][];
        clustering = new byte[schema.clustering().size()][];
    }

    static Column column(TableSchema schema, String name) {
        Objects.requireNonNull(name, "column");
        return schema.column(name)
                .filter(column -> !column.dropped())
                .orElseThrow(() -> new IllegalArgumentException(
                        "table has no such column, table=" + schema.qualifiedName() + ", column=" + name));
    }

    /** @throws IllegalArgumentException naming the column, when the value is none of its type */
    static byte[] bytes(Column column, CqlType type, Object value) {
        try {
            return JavaValues.toBytes(type, value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + ", column=" + column.name(), e);
        }
    }

    void key(String name, Object value) {
        Column column = column(schema, name);
        if (column.kind() != Column.Kind.PARTITION_KEY) {
            throw new IllegalArgumentException("column is no part of the partition key, column=" + name);
        }
        byte[] bytes = bytes(column, column.type(), value);
        if (bytes.length > DecoratedKey.LENGTH_MAX_BYTES || bytes.length == 0 && partitionKey.length == 1) {
            throw new IllegalArgumentException(
                    "value cannot be a partition key: empty, or longer than 65535 bytes, column=" + name
                            + ", lengthBytes=" + bytes.length);
        }
        partitionKey[column.index()] = bytes;
    }

    void clustering(String name, Object value) {
        Column column = column(schema, name);
        if (column.kind() != Column.Kind.CLUSTERING) {
            throw new IllegalArgumentException("column is no clustering column, column=" + name);
        }
        clustering[column.index()] = bytes(column, column.type(), value);
    }

    /** Gives the first key columns their values in order. */
    KeyBuilder keyInOrder(Object... values) {
        requireCount("partition key", schema.partitionKey(), values, partitionKey.length);
        for (int i = 0; i < values.length; i++) {
            key(schema.partitionKey().get(i).name(), values[i]);
        }
        return this;
    }

    /** Gives the first clustering columns their values in order. */
    KeyBuilder clusteringInOrder(Object... values) {
        requireCount("clustering", schema.clustering(), values, 0);
        for (int i = 0; i < values.length; i++) {
            clustering(schema.clustering().get(i).name(), values[i]);
        }
        return this;
    }

    private void requireCount(String part, List<Column> columns, Object[] values, int countMin) {
        if (values.length < countMin || values.length > columns.size()) {
            throw new IllegalArgumentException("values do not fit the " + part + ", table=" + schema.qualifiedName()
                    + ", columns=" + columns.stream().map(Column::name).toList() + ", values=" + values.length);
        }
    }

    /** The key given, or {@code usual} when no part of one was. */
    DecoratedKey key(Optional<DecoratedKey> usual) {
        boolean given = Arrays.stream(partitionKey).anyMatch(Objects::nonNull);
        return given || usual.isEmpty() ? key() : usual.get();
    }

    /** @throws IllegalStateException when a part is missing: names it */
    DecoratedKey key() {
        requireAll(partitionKey, schema.partitionKey());
        try {
            return DecoratedKey.ofComponents(partitionKey);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + ", table=" + schema.qualifiedName(), e);
        }
    }

    /** @throws IllegalStateException when a component is missing: names it */
    byte[][] clustering() {
        requireAll(clustering, schema.clustering());
        return clustering;
    }

    /** The components given, which must be the first ones. */
    byte[][] clusteringPrefix() {
        int given = 0;
        while (given < clustering.length && clustering[given] != null) {
            given++;
        }
        byte[][] prefix = new byte[given][];
        System.arraycopy(clustering, 0, prefix, 0, given);
        for (int i = given; i < clustering.length; i++) {
            if (clustering[i] != null) {
                throw new IllegalStateException("clustering column is missing before one that is given, missing="
                        + schema.clustering().get(given).name() + ", given="
                        + schema.clustering().get(i).name());
            }
        }
        return prefix;
    }

    boolean hasClustering() {
        for (byte[] component : clustering) {
            if (component != null) {
                return true;
            }
        }
        return false;
    }

    private void requireAll(byte[][] values, List<Column> columns) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] == null) {
                throw new IllegalStateException("key column has no value, table=" + schema.qualifiedName() + ", column="
                        + columns.get(i).name());
            }
        }
    }
}
