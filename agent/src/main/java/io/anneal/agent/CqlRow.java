package io.anneal.agent;

import io.anneal.io.ByteReader;
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

/** A row of an answer: values by the names of their columns, of the types that are asked for. */
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

    private Optional<byte[]> value(String column) {
        Integer index = columns.get(column);
        if (index == null) {
            throw new IllegalArgumentException("answer has no such column, column=" + column + ", has=" + columns);
        }
        return Optional.ofNullable(values.get(index));
    }

    private byte[] required(String column) {
        return value(column).orElseThrow(() -> new IllegalArgumentException("column has no value, column=" + column));
    }

    Optional<String> text(String column) {
        return value(column).map(CqlRow::text);
    }

    private static String text(byte[] value) {
        return new String(value, StandardCharsets.UTF_8);
    }

    UUID uuid(String column) {
        return uuid(required(column));
    }

    private static UUID uuid(byte[] value) {
        ByteReader in = new ByteReader(value);
        return new UUID(in.readLong(), in.readLong());
    }

    int integer(String column) {
        return new ByteReader(required(column)).readInt();
    }

    /** One without a value is not. */
    boolean isTrue(String column) {
        return value(column).filter(value -> value.length > 0 && value[0] != 0).isPresent();
    }

    /** Of a set or a list; of a map keys and values in turn. None of a column without a value, as Cassandra keeps an empty one. */
    private List<byte[]> elements(String column, int eachOf) {
        List<byte[]> elements = new ArrayList<>();
        value(column).ifPresent(value -> {
            ByteReader in = new ByteReader(value);
            int count = in.readInt();
            for (int i = 0; i < count * eachOf; i++) {
                elements.add(in.readBytes(in.readInt()));
            }
        });
        return elements;
    }

    Set<String> texts(String column) {
        Set<String> texts = new HashSet<>();
        elements(column, 1).forEach(element -> texts.add(text(element)));
        return texts;
    }

    Map<String, String> textByText(String column) {
        List<byte[]> elements = elements(column, 2);
        Map<String, String> texts = new HashMap<>();
        for (int i = 0; i < elements.size(); i += 2) {
            texts.put(text(elements.get(i)), text(elements.get(i + 1)));
        }
        return texts;
    }

    /** Of bytes, as hexadecimal digits. */
    Map<UUID, String> digitsByUuid(String column) {
        List<byte[]> elements = elements(column, 2);
        Map<UUID, String> digits = new HashMap<>();
        for (int i = 0; i < elements.size(); i += 2) {
            digits.put(uuid(elements.get(i)), HexFormat.of().formatHex(elements.get(i + 1)));
        }
        return digits;
    }
}
