package io.anneal.cli.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A table as {@code KS.TABLE}; {@code KS.*} stands for all tables of a keyspace. */
public record QualifiedTable(String keyspace, String table) {
    public boolean isWholeKeyspace() {
        return table.equals("*");
    }

    public boolean covers(String otherKeyspace, String otherTable) {
        return keyspace.equals(otherKeyspace) && (isWholeKeyspace() || table.equals(otherTable));
    }

    @Override
    public String toString() {
        return keyspace + "." + table;
    }

    /** Reads {@code KS.TABLE}. */
    public static final class Converter implements ITypeConverter<QualifiedTable> {
        @Override
        public QualifiedTable convert(String text) {
            int dot = text.indexOf('.');
            if (dot <= 0 || dot == text.length() - 1 || text.indexOf('.', dot + 1) >= 0) {
                throw new TypeConversionException("'" + text + "' is no table, as KS.TABLE or KS.*");
            }
            return new QualifiedTable(text.substring(0, dot), text.substring(dot + 1));
        }
    }
}
