package io.anneal.cli.rows;

import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableSchema;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * A partition key from text: its columns' values with colons between them, {@code \:} for a colon inside one; or {@code 0x}
 * and all of its bytes in hexadecimal digits.
 */
public final class KeyParser {
    private static final String HEX_PREFIX = "0x";

    private KeyParser() {}

    /** @throws IllegalArgumentException when the text is no key of the table: names the column */
    public static DecoratedKey parse(TableSchema schema, String text) {
        List<Column> columns = schema.partitionKey();
        boolean onlyBlob =
                columns.size() == 1 && columns.get(0).type().cqlName().equals("blob");
        if (text.startsWith(HEX_PREFIX) && !onlyBlob) {
            return DecoratedKey.of(HexFormat.of().parseHex(text.substring(HEX_PREFIX.length())));
        }
        if (columns.size() == 1) {
            return DecoratedKey.of(value(columns.get(0), text));
        }
        List<String> parts = parts(text);
        if (parts.size() != columns.size()) {
            throw new IllegalArgumentException(
                    "key has another number of parts than the table's, separate them by colons," + " key=" + text
                            + ", columns=" + columns.stream().map(Column::name).toList());
        }
        ByteArrayOutputStream composite = new ByteArrayOutputStream();
        for (Column column : columns) {
            byte[] part = value(column, parts.get(column.index()));
            composite.write(part.length >>> Byte.SIZE);
            composite.write(part.length);
            composite.writeBytes(part);
            composite.write(0);
        }
        return DecoratedKey.of(composite.toByteArray());
    }

    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length() && text.charAt(i + 1) == ':') {
                part.append(':');
                i++;
            } else if (c == ':') {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(c);
            }
        }
        parts.add(part.toString());
        return parts;
    }

    /**
     * A column's value as bytes.
     *
     * @throws IllegalArgumentException when the text is no value of the column: names it
     */
    public static byte[] value(Column column, String text) {
        try {
            return JavaValues.toBytes(column.type(), javaValue(column.type().ascending(), text));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IllegalArgumentException(
                    "text is no value of the column, column=" + column.name() + ", type="
                            + column.type().cqlName() + ", text=" + text,
                    e);
        }
    }

    private static Object javaValue(CqlType type, String text) {
        return switch (type.cqlName()) {
            case "ascii", "text" -> text;
            case "tinyint", "smallint", "int", "bigint", "varint" -> new BigInteger(text);
            case "float" -> Float.valueOf(text);
            case "double" -> Double.valueOf(text);
            case "decimal" -> new BigDecimal(text);
            case "boolean" -> {
                if (!text.equals("true") && !text.equals("false")) {
                    throw new IllegalArgumentException("neither true nor false, text=" + text);
                }
                yield Boolean.valueOf(text);
            }
            case "blob" ->
                HexFormat.of().parseHex(text.startsWith(HEX_PREFIX) ? text.substring(HEX_PREFIX.length()) : text);
            case "timestamp" ->
                text.matches("-?\\d+") ? Instant.ofEpochMilli(Long.parseLong(text)) : Instant.parse(text);
            case "date" -> LocalDate.parse(text);
            case "time" -> LocalTime.parse(text);
            case "uuid", "timeuuid" -> UUID.fromString(text);
            case "inet" -> address(text);
            default ->
                throw new IllegalArgumentException("no text is known for values of this type, type=" + type.cqlName());
        };
    }

    /** Numbers only: a name would be looked up on the network. */
    private static InetAddress address(String text) {
        if (!text.matches("[0-9a-fA-F.:]+")) {
            throw new IllegalArgumentException("no address in numbers, text=" + text);
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("no address, text=" + text, e);
        }
    }
}
