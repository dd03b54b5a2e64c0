package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import java.util.List;

/** Checks what a row may hold: columns of the schema, entries in canonical order, paths where they belong, values if asked. */
final class RowValidator {
    private final Column[] clusteringColumns;
    private final Column[] staticColumns;
    private final Column[] regularColumns;
    private final boolean checksValues;

    RowValidator(TableSchema schema, boolean checksValues) {
        clusteringColumns = array(schema.clustering());
        staticColumns = array(schema.staticColumns());
        regularColumns = array(schema.regularColumns());
        this.checksValues = checksValues;
    }

    private static Column[] array(List<Column> columns) {
        return columns.toArray(Column[]::new);
    }

    void check(Row row) {
        int components = row.isStatic() ? 0 : clusteringColumns.length;
        if (row.clustering().size() != components) {
            throw new InvalidStreamException(
                    "clustering has a wrong number of components",
                    "componentCount=" + row.clustering().size() + ", clusteringColumnCount=" + components);
        }
        if (checksValues) {
            checkClustering(row.clustering());
        }
        Column[] columns = row.isStatic() ? staticColumns : regularColumns;
        for (int i = 0; i < row.entryCount(); i++) {
            int index = row.columnIndex(i);
            if (index < 0 || index >= columns.length) {
                throw new InvalidStreamException(
                        "column is not in the schema", "columnIndex=" + index + ", columnCount=" + columns.length);
            }
            checkEntry(row, i, columns[index]);
        }
    }

    private void checkClustering(Clustering clustering) {
        for (int i = 0; i < clustering.size(); i++) {
            if (clustering.lengthBytes(i) > 0) {
                Column column = clusteringColumns[i];
                validate(column, column.type(), clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i));
            }
        }
    }

    private void checkEntry(Row row, int i, Column column) {
        boolean hasPath = row.pathLengthBytes(i) != Row.ABSENT;
        if (hasPath != (column.isComplex() && !row.isComplexDeletion(i))
                || row.isComplexDeletion(i) && !column.isComplex()) {
            throw new InvalidStreamException("entry does not fit its column", "column=" + column.name());
        }
        if (i > 0 && !RowOrder.ascends(row, i, column)) {
            throw new InvalidStreamException("entries out of order", "column=" + column.name() + ", entry=" + i);
        }
        if (row.isComplexDeletion(i)) {
            return;
        }
        if (row.isExpiring(i) && row.localDeletionTimeSeconds(i) == DeletionTime.NO_DELETION_TIME) {
            throw new InvalidStreamException("cell has a TTL and no expiry", "column=" + column.name());
        }
        if (checksValues) {
            if (hasPath) {
                validate(
                        column, column.type().pathType(), row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i));
            }
            if (row.valueLengthBytes(i) > 0) {
                CqlType type = column.type().cellType(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i));
                validate(column, type, row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i));
            }
        }
    }

    private static void validate(Column column, CqlType type, byte[] buffer, int offset, int length) {
        try {
            type.validate(buffer, offset, length);
        } catch (InvalidValueException e) {
            throw new InvalidStreamException("value is not of its type", "column=" + column.name(), e);
        }
    }
}
