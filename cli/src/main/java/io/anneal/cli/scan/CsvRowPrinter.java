package io.anneal.cli.scan;

import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Rows as lines of RFC 4180: values as in JSON, but texts, dates and the like without JSON's quotes. A field that is empty has no value;
 * an empty text stands there as two quotes.
 */
final class CsvRowPrinter extends RowPrinter {
    private static final String LINE_END = "\r\n";

    private final StringBuilder json = new StringBuilder();

    CsvRowPrinter(TableSchema schema, Sink sink) {
        super(schema, column -> isFirst(column) ? "" : ",", sink);
    }

    static List<String> names(TableSchema schema) {
        return columns(schema).stream().map(Column::name).toList();
    }

    static String header(TableSchema schema) {
        return names(schema).stream()
                        .map(name -> {
                            StringBuilder field = new StringBuilder();
                            appendField(name, field);
                            return field;
                        })
                        .collect(Collectors.joining(","))
                + LINE_END;
    }

    private static void appendField(CharSequence value, StringBuilder text) {
        boolean isPlain = value.length() > 0;
        for (int i = 0; i < value.length() && isPlain; i++) {
            char c = value.charAt(i);
            isPlain = c != '"' && c != ',' && c != '\r' && c != '\n';
        }
        if (isPlain) {
            text.append(value);
            return;
        }
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"') {
                text.append('"');
            }
            text.append(c);
        }
        text.append('"');
    }

    @Override
    String rowStart() {
        return "";
    }

    @Override
    String rowEnd() {
        return LINE_END;
    }

    @Override
    void absent(StringBuilder text) {
        // Nothing stands for no value.
    }

    @Override
    void value(CqlType type, byte[] buffer, int offset, int lengthBytes, StringBuilder text) {
        if (isText(type)) {
            appendField(type.toText(buffer, offset, lengthBytes), text);
            return;
        }
        json.setLength(0);
        type.appendJson(buffer, offset, lengthBytes, json);
        boolean isQuoted = json.length() > 1 && json.charAt(0) == '"';
        appendField(isQuoted ? json.subSequence(1, json.length() - 1) : json, text);
    }

    private static boolean isText(CqlType type) {
        String name = type.ascending().cqlName();
        return name.equals("text") || name.equals("ascii");
    }
}
