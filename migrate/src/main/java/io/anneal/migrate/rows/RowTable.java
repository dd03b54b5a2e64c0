package io.anneal.migrate.rows;

import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A table as the entries of both sides see it: its columns without those that were dropped, since the two sides need not have
 * dropped the same. Rows of entries number columns by it, rows of a store by the store's own schema; here one becomes the other.
 * Immutable.
 */
final class RowTable {
    private static final int TEXT_LENGTH_MAX = 200;

    private final TableSchema stored;
    private final List<Column> statics;
    private final List<Column> regulars;
    /** By the index of the stored schema that of the entries, -1 for dropped columns. */
    private final int[] staticIndex;

    private final int[] regularIndex;
    private final ClusteringComparator comparator;

    private RowTable(TableSchema stored) {
        this.stored = stored;
        statics = present(stored.staticColumns());
        regulars = present(stored.regularColumns());
        staticIndex = indexes(stored.staticColumns(), statics);
        regularIndex = indexes(stored.regularColumns(), regulars);
        comparator = ClusteringComparator.of(stored);
    }

    static RowTable of(TableSchema stored) {
        return new RowTable(stored);
    }

    private static List<Column> present(List<Column> columns) {
        return columns.stream().filter(column -> !column.dropped()).toList();
    }

    private static int[] indexes(List<Column> stored, List<Column> present) {
        return stored.stream().mapToInt(present::indexOf).toArray();
    }

    TableSchema stored() {
        return stored;
    }

    List<Column> columns(boolean ofStatic) {
        return ofStatic ? statics : regulars;
    }

    /** What two sides must have in common. */
    String shape() {
        return List.of(stored.partitionKey(), stored.clustering(), statics, regulars).stream()
                .flatMap(List::stream)
                .map(column -> column.name() + " " + column.type().cqlName()
                        + (column.type().isReversed() ? " desc" : "")
                        + switch (column.kind()) {
                            case PARTITION_KEY -> " partition key";
                            case CLUSTERING -> " clustering";
                            case STATIC -> " static";
                            case REGULAR -> "";
                        })
                .collect(Collectors.joining(", "));
    }

    /** By token, key, then the static row before the others in their order. */
    Comparator<RowEntry> order() {
        return (left, right) -> {
            int byKey = left.partition().compareTo(right.partition());
            if (byKey != 0) {
                return byKey;
            }
            if (left.row().isStatic() || right.row().isStatic()) {
                return Boolean.compare(right.row().isStatic(), left.row().isStatic());
            }
            return comparator.compare(left.row().clustering(), right.row().clustering());
        };
    }

    /** The key of such values in the order of the partition key's columns. */
    static DecoratedKey key(List<byte[]> parts) {
        if (parts.size() == 1) {
            return DecoratedKey.of(parts.get(0));
        }
        ByteArrayOutputStream composite = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            composite.write(part.length >>> Byte.SIZE);
            composite.write(part.length);
            composite.writeBytes(part);
            composite.write(0);
        }
        return DecoratedKey.of(composite.toByteArray());
    }

    /** The values that a key is made of. */
    List<byte[]> keyParts(DecoratedKey key) {
        byte[] bytes = key.bytes();
        if (stored.partitionKey().size() == 1) {
            return List.of(bytes);
        }
        List<byte[]> parts = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < stored.partitionKey().size(); i++) {
            int length = Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(at));
            at += Short.BYTES;
            parts.add(Arrays.copyOfRange(bytes, at, at + length));
            at += length + 1;
        }
        return parts;
    }

    /** A stored row, without cells of dropped columns, as a row of an entry that owns its bytes. */
    Row ofEntry(Row row) {
        Row out = new Row();
        out.clear(row.isStatic());
        out.clustering().wrap(row.clustering());
        if (row.hasLiveness()) {
            out.liveness(row.livenessTimestampMicros(), row.livenessTtlSeconds(), row.livenessExpirySeconds());
        }
        int[] index = row.isStatic() ? staticIndex : regularIndex;
        for (int i = 0; i < row.entryCount(); i++) {
            addCell(out, index[row.columnIndex(i)], row, i);
        }
        return out.toRow();
    }

    /** A row of an entry as the stored schema numbers its columns; its bytes stay where they lie. */
    Row stored(Row row) {
        Row out = new Row();
        out.clear(row.isStatic());
        out.clustering().wrap(row.clustering());
        out.deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), false);
        if (row.hasLiveness()) {
            out.liveness(row.livenessTimestampMicros(), row.livenessTtlSeconds(), row.livenessExpirySeconds());
        }
        List<Column> columns = columns(row.isStatic());
        for (int i = 0; i < row.entryCount(); i++) {
            addCell(out, columns.get(row.columnIndex(i)).index(), row, i);
        }
        return out;
    }

    private static void addCell(Row out, int column, Row row, int entry) {
        out.addCell(column, row.timestampMicros(entry), row.ttlSeconds(entry), row.localDeletionTimeSeconds(entry));
        if (row.valueLengthBytes(entry) != Row.ABSENT) {
            out.value(row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry));
        }
        if (row.pathLengthBytes(entry) != Row.ABSENT) {
            out.path(row.pathBuffer(entry), row.pathOffset(entry), row.pathLengthBytes(entry));
        }
    }

    /** Names a row for people, as {@code a=7 b=x}. */
    String name(DecoratedKey key, Row row) {
        List<String> parts = new ArrayList<>();
        List<byte[]> values = keyParts(key);
        for (Column column : stored.partitionKey()) {
            byte[] value = values.get(column.index());
            parts.add(column.name() + "=" + text(value, 0, value.length, column));
        }
        if (row.isStatic()) {
            parts.add("static");
        }
        Clustering clustering = row.clustering();
        for (int i = 0; i < clustering.size(); i++) {
            Column column = stored.clustering().get(i);
            parts.add(column.name() + "="
                    + (clustering.isAbsent(i)
                            ? "null"
                            : text(clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i), column)));
        }
        return String.join(" ", parts);
    }

    private static String text(byte[] buffer, int offset, int length, Column column) {
        return shortened(column.type().ascending().toText(buffer, offset, length));
    }

    static String shortened(String text) {
        return text.length() <= TEXT_LENGTH_MAX
                ? text
                : text.substring(0, TEXT_LENGTH_MAX) + "... (" + text.length() + " characters)";
    }
}
