package io.anneal.cli.scan;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;

/** Rows as JSON objects with the names of columns as CQL shows them, values as {@code SELECT JSON} gives them. */
final class JsonRowPrinter extends RowPrinter {
    private final boolean lines;
    private boolean isFirst;

    /** @param lines a row a line; else rows are elements of an array, with commas between them */
    JsonRowPrinter(TableSchema schema, boolean lines, boolean isFirst, Sink sink) {
        super(schema, JsonRowPrinter::prefix, sink);
        this.lines = lines;
        this.isFirst = isFirst;
    }

    private static String prefix(Column column) {
        String name = new String(JsonStringEncoder.getInstance().quoteAsString(column.name()));
        return (isFirst(column) ? "\"" : ",\"") + name + "\":";
    }

    @Override
    String rowStart() {
        boolean isAlone = lines || isFirst;
        isFirst = false;
        return isAlone ? "{" : ",{";
    }

    @Override
    String rowEnd() {
        return lines ? "}\n" : "}";
    }

    @Override
    void absent(StringBuilder text) {
        text.append("null");
    }

    @Override
    void value(CqlType type, byte[] buffer, int offset, int lengthBytes, StringBuilder text) {
        type.appendJson(buffer, offset, lengthBytes, text);
    }
}
