package io.anneal.paging.query;

import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import java.util.List;

/**
 * Tells which rows meet a {@link RowFilter}. Takes rows as they are at a time, without anything dead. Allocates nothing. Safe for any
 * thread.
 */
public final class RowMatcher {
    private record Bound(Column column, CqlType type, Condition.Operator operator, byte[][] values) {
        boolean holds(byte[] buffer, int offset, int lengthBytes) {
            for (byte[] value : values) {
                if (operator.holds(type.compare(buffer, offset, lengthBytes, value, 0, value.length))) {
                    return true;
                }
            }
            return false;
        }
    }

    private final Bound[] ofKeys;
    private final Bound[] ofStatics;
    private final Bound[] ofRows;
    private final boolean compositeKey;

    RowMatcher(TableSchema schema, List<Condition> conditions) {
        ofKeys = bound(schema, conditions, List.of(Column.Kind.PARTITION_KEY));
        ofStatics = bound(schema, conditions, List.of(Column.Kind.STATIC));
        ofRows = bound(schema, conditions, List.of(Column.Kind.CLUSTERING, Column.Kind.REGULAR));
        compositeKey = schema.partitionKey().size() > 1;
    }

    private static Bound[] bound(TableSchema schema, List<Condition> conditions, List<Column.Kind> kinds) {
        return conditions.stream()
                .map(condition -> bound(schema, condition))
                .filter(bound -> kinds.contains(bound.column().kind()))
                .toArray(Bound[]::new);
    }

    private static Bound bound(TableSchema schema, Condition condition) {
        Column column = Condition.column(schema, condition.column(), condition.operator());
        CqlType type = column.type().ascending();
        for (byte[] value : condition.values()) {
            try {
                type.validate(value, 0, value.length);
            } catch (InvalidValueException e) {
                throw new IllegalArgumentException(
                        "value does not fit the column, column=" + column.name() + ", type=" + type.cqlName(), e);
            }
        }
        return new Bound(column, type, condition.operator(), condition.values().toArray(byte[][]::new));
    }

    /** Whether a partition may have rows that are wanted, by its key. */
    public boolean matchesKey(KeyView key) {
        for (Bound bound : ofKeys) {
            if (!matchesKey(key, bound)) {
                return false;
            }
        }
        return true;
    }

    private boolean matchesKey(KeyView key, Bound bound) {
        if (!compositeKey) {
            return bound.holds(key.buffer(), key.offset(), key.lengthBytes());
        }
        byte[] buffer = key.buffer();
        int at = key.offset();
        int lengthBytes = componentLength(buffer, at);
        for (int i = 0; i < bound.column().index(); i++) {
            at += Short.BYTES + lengthBytes + 1;
            lengthBytes = componentLength(buffer, at);
        }
        return bound.holds(buffer, at + Short.BYTES, lengthBytes);
    }

    private static int componentLength(byte[] buffer, int at) {
        return Byte.toUnsignedInt(buffer[at]) << Byte.SIZE | Byte.toUnsignedInt(buffer[at + 1]);
    }

    /** Whether {@link #matchesStatic} asks for anything: if not, nobody needs to keep the static row. */
    public boolean asksStatic() {
        return ofStatics.length > 0;
    }

    /**
     * Whether the rows of a partition are wanted, by its static row.
     *
     * @param row null where there is none
     */
    public boolean matchesStatic(Row row) {
        return allHold(ofStatics, row);
    }

    /** Whether a partition that has a static row alone is wanted by what was asked of rows: only if nothing was. */
    public boolean matchesWithoutRow() {
        return ofRows.length == 0;
    }

    /** Whether a row is wanted, its partition being so. */
    public boolean matchesRow(Row row) {
        return allHold(ofRows, row);
    }

    private static boolean allHold(Bound[] conditions, Row row) {
        for (Bound bound : conditions) {
            if (row == null || !holds(bound, row)) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(Bound bound, Row row) {
        int index = bound.column().index();
        if (bound.column().kind() == Column.Kind.CLUSTERING) {
            Clustering clustering = row.clustering();
            return !clustering.isAbsent(index)
                    && bound.holds(clustering.buffer(), clustering.offset(index), clustering.lengthBytes(index));
        }
        for (int entry = 0; entry < row.entryCount(); entry++) {
            if (row.columnIndex(entry) == index) {
                return bound.holds(row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry));
            }
        }
        return false;
    }
}
