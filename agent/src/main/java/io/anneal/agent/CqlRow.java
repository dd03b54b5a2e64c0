package io.anneal.agent;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * A row of an answer: values by the names of their columns, of the types that are asked for. What is not there, or not of its type, is an
 * {@link IOException}: the node answers otherwise than it should.
 */
final class CqlRow {
    private final Map<String, Integer> columns;
    /** Null for a value that is not there. */
    private final List<byte[]> values;

    CqlRow(Map<String, Integer> columns, List<byte[]> values) {
        this.columns = columns;
        this.values = values;
    }

    boolean has(String column) {
        return columns.containsKey(column);
    }

    private Optional<byte[]> value(String column) throws IOException {
        Integer index = columns.get(column);
        if (index == null) {
            throw new IOException("answer has no such column, column=" + column + ", has=" + columns.keySet());
        }
        return Optional.ofNullable(values.get(index));
    }

    private byte[] required(String column) throws IOException {
        return value(column).orElseThrow(() -> new IOException("column has no value, column=" + column));
    }

    /** To its end. */
    private static <T> T read(String column, byte[] value, Function<ByteReader, T> reading) throws IOException {
        ByteReader in = new ByteReader(value);
        try {
            T read = reading.apply(in);
            if (!in.hasRemaining()) {
                return read;
            }
        } catch (ByteUnderflowException e) {
            throw malformed(column, value, e);
        }
        throw malformed(column, value, null);
    }

    private static IOException malformed(String column, byte[] value, ByteUnderflowException reason) {
        return new IOException("value is not of its type, column=" + column + ", lengthBytes=" + value.length, reason);
    }

    Optional<String> text(String column) throws IOException {
        return value(column).map(CqlRow::text);
    }

    String requiredText(String column) throws IOException {
        return text(required(column));
    }

    private static String text(byte[] value) {
        return new String(value, StandardCharsets.UTF_8);
    }

    UUID uuid(String column) throws IOException {
        return uuid(column, required(column));
    }

    private static UUID uuid(String column, byte[] value) throws IOException {
        return read(column, value, in -> new UUID(in.readLong(), in.readLong()));
    }

    int integer(String column) throws IOException {
        return read(column, required(column), ByteReader::readInt);
    }

    /** One without a value is not. */
    boolean isTrue(String column) throws IOException {
        return value(column).filter(value -> value.length > 0 && value[0] != 0).isPresent();
    }

    /** Of a set or a list; of a map keys and values in turn. None of a column without a value, as Cassandra keeps an empty one. */
    private List<byte[]> elements(String column, int eachOf) throws IOException {
        Optional<byte[]> value = value(column);
        return value.isEmpty()
                ? List.of()
                : read(column, value.get(), in -> {
                    List<byte[]> elements = new ArrayList<>();
                    // A count that is a lie, or below zero, ends with the bytes.
                    for (long left = (long) in.readInt() * eachOf; left != 0; left--) {
                        elements.add(in.readBytes(in.readInt()));
                    }
                    return elements;
                });
    }

    Set<String> texts(String column) throws IOException {
        Set<String> texts = new HashSet<>();
        elements(column, 1).forEach(element -> texts.add(text(element)));
        return texts;
    }

    Map<String, String> textByText(String column) throws IOException {
        List<byte[]> elements = elements(column, 2);
        Map<String, String> texts = new HashMap<>();
        for (int i = 0; i < elements.size(); i += 2) {
            texts.put(text(elements.get(i)), text(elements.get(i + 1)));
        }
        return texts;
    }

    /** Of bytes, as hexadecimal digits. */
    Map<UUID, String> digitsByUuid(String column) throws IOException {
        List<byte[]> elements = elements(column, 2);
        Map<UUID, String> digits = new HashMap<>();
        for (int i = 0; i < elements.size(); i += 2) {
            digits.put(uuid(column, elements.get(i)), HexFormat.of().formatHex(elements.get(i + 1)));
        }
        return digits;
    }
}
