package io.anneal.sstable.row;

import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.row.SerializationHeader.HeaderColumn;
import java.nio.file.Path;
import java.util.List;

/**
 * The header's static or regular columns by place: how their cells are read and which of the schema's columns they are. Cells
 * stand in the order of the header. Immutable.
 */
public final class ColumnMapping {
    private final int[] schemaIndexes;
    private final boolean[] complex;
    private final int[] fixedLengthsBytes;
    private boolean isInFormerOrder;

    private ColumnMapping(int count) {
        schemaIndexes = new int[count];
        complex = new boolean[count];
        fixedLengthsBytes = new int[count];
    }

    /**
     * Maps columns that stand in Cassandra's order, or in the one of earlier releases.
     *
     * @throws CorruptSSTableException when the schema does not know a column, or knows it with a type that cannot read it, or of another
     *     kind, or when they stand in neither order
     */
    public static ColumnMapping of(List<HeaderColumn> columns, Column.Kind kind, TableSchema schema, Path file)
            throws CorruptSSTableException {
        ColumnMapping mapping = new ColumnMapping(columns.size());
        Column previous = null;
        boolean ascendsFormerly = true;
        for (int i = 0; i < columns.size(); i++) {
            HeaderColumn inFile = columns.get(i);
            Column column = schema.column(inFile.name()).orElse(null);
            if (column == null) {
                throw mismatch(file, "schema does not know the column", inFile, "none", schema);
            }
            if (column.kind() != kind) {
                throw mismatch(
                        file, "column is of another kind", inFile, column.kind() + " instead of " + kind, schema);
            }
            // A column may have been altered, or dropped and added again, since the file was written.
            if (!column.type().reads(inFile.type())) {
                throw mismatch(
                        file, "column has another type", inFile, column.type().cqlName(), schema);
            }
            mapping.schemaIndexes[i] = column.index();
            mapping.complex[i] = inFile.type().isMultiCell();
            // Values of many-celled columns are written by the collection's rules: always with their length.
            mapping.fixedLengthsBytes[i] = inFile.type().isMultiCell()
                    ? CqlType.VARIABLE_LENGTH
                    : inFile.type().fixedLengthBytes();
            if (i > 0) {
                ascendsFormerly &= Column.compareFormerly(previous, column) < 0;
                mapping.isInFormerOrder |= mapping.schemaIndexes[i] <= mapping.schemaIndexes[i - 1];
            }
            previous = column;
            if (mapping.isInFormerOrder && !ascendsFormerly) {
                throw mismatch(
                        file,
                        "columns of the header are out of order",
                        inFile,
                        column.type().cqlName(),
                        schema);
            }
        }
        return mapping;
    }

    /** Checks key or clustering types, which the header holds without names and whose order must be that of the schema. */
    public static void requireSame(List<CqlType> inFile, List<Column> columns, TableSchema schema, Path file)
            throws CorruptSSTableException {
        if (inFile.size() != columns.size()) {
            throw new CorruptSSTableException(
                    file,
                    CorruptSSTableException.NO_POSITION,
                    "number of key columns differs from the schema, file=" + inFile + ", schema="
                            + columns.stream().map(Column::type).toList() + ", table=" + schema.qualifiedName());
        }
        for (int i = 0; i < inFile.size(); i++) {
            Column column = columns.get(i);
            if (!column.type().frozen().sorts(inFile.get(i).frozen())) {
                throw mismatch(
                        file,
                        "column has another type",
                        new HeaderColumn(column.name(), inFile.get(i)),
                        name(column.type()),
                        schema);
            }
        }
    }

    private static String name(CqlType type) {
        return type.isReversed() ? type.className() : type.cqlName();
    }

    private static CorruptSSTableException mismatch(
            Path file, String what, HeaderColumn inFile, String inSchema, TableSchema schema) {
        return new CorruptSSTableException(
                file,
                CorruptSSTableException.NO_POSITION,
                what + ", column=" + inFile.name() + ", inFile=" + name(inFile.type()) + ", inSchema=" + inSchema
                        + ", table=" + schema.qualifiedName());
    }

    /** Whether an earlier release wrote the columns in an order that Cassandra does not know: it would swap their values. */
    public boolean isInFormerOrder() {
        return isInFormerOrder;
    }

    int count() {
        return schemaIndexes.length;
    }

    int schemaIndex(int column) {
        return schemaIndexes[column];
    }

    boolean isComplex(int column) {
        return complex[column];
    }

    int fixedLengthBytes(int column) {
        return fixedLengthsBytes[column];
    }
}
