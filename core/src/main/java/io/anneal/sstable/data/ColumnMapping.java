package io.anneal.sstable.data;

import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.data.SerializationHeader.HeaderColumn;
import java.nio.file.Path;
import java.util.List;

/**
 * The header's static or regular columns by place: how their cells are read and which of the schema's columns they are.
 * Immutable.
 */
final class ColumnMapping {
    private final int[] schemaIndexes;
    private final boolean[] complex;
    private final int[] fixedLengthsBytes;

    private ColumnMapping(int count) {
        schemaIndexes = new int[count];
        complex = new boolean[count];
        fixedLengthsBytes = new int[count];
    }

    /** @throws CorruptSSTableException when the schema does not know a column, or knows it with another type or kind */
    static ColumnMapping of(List<HeaderColumn> columns, Column.Kind kind, TableSchema schema, Path file)
            throws CorruptSSTableException {
        ColumnMapping mapping = new ColumnMapping(columns.size());
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
            if (!sameType(inFile.type(), column.type())) {
                throw mismatch(
                        file, "column has another type", inFile, column.type().cqlName(), schema);
            }
            mapping.schemaIndexes[i] = column.index();
            mapping.complex[i] = inFile.type().isMultiCell();
            // Values of many-celled columns are written by the collection's rules: always with their length.
            mapping.fixedLengthsBytes[i] = inFile.type().isMultiCell()
                    ? CqlType.VARIABLE_LENGTH
                    : inFile.type().fixedLengthBytes();
            if (i > 0 && mapping.schemaIndexes[i] <= mapping.schemaIndexes[i - 1]) {
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

    /** Checks key or clustering types, which the header holds without names. */
    static void requireSame(List<CqlType> inFile, List<Column> columns, TableSchema schema, Path file)
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
            if (!sameType(inFile.get(i).frozen(), column.type().frozen())) {
                throw mismatch(
                        file,
                        "column has another type",
                        new HeaderColumn(column.name(), inFile.get(i)),
                        name(column.type()),
                        schema);
            }
        }
    }

    /**
     * Names are normalised when they are parsed, so frozen marks that versions of Cassandra place differently do not count.
     * What happened to user types since the file was written does not count either, as values stay the same: fields come
     * behind the others and change their names, and of a dropped column only the tuple of a type's fields is remembered.
     */
    private static boolean sameType(CqlType inFile, CqlType inSchema) {
        if (inFile.isMultiCell() != inSchema.isMultiCell()) {
            return false;
        }
        return inFile.equals(inSchema) || samePart(inFile, inSchema);
    }

    private static boolean samePart(CqlType inFile, CqlType inSchema) {
        if (inFile.equals(inSchema)) {
            return true;
        }
        boolean sameKind = inFile.kind() == inSchema.kind();
        boolean userType = inFile.kind() == CqlType.Kind.USER_TYPE;
        List<CqlType> file = inFile.components();
        List<CqlType> schema = inSchema.components();
        boolean fits = userType
                ? (sameKind ? inFile.cqlName().equals(inSchema.cqlName()) : inSchema.kind() == CqlType.Kind.TUPLE)
                        && file.size() <= schema.size()
                : sameKind && !file.isEmpty() && file.size() == schema.size();
        if (!fits || inFile.kind() == CqlType.Kind.VECTOR && inFile.dimension() != inSchema.dimension()) {
            return false;
        }
        for (int i = 0; i < file.size(); i++) {
            if (!samePart(file.get(i), schema.get(i))) {
                return false;
            }
        }
        return true;
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
