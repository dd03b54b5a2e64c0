package io.anneal.key;

import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Partition keys and clusterings as text, a text for each column: as Cassandra's tools print them. */
public final class KeyText {
    private KeyText() {}

    /** The parts of a partition key. More than one are each: length in two bytes, value, a zero byte. */
    public static List<String> of(TableSchema schema, KeyView key) {
        List<CqlType> types = schema.partitionKey().stream().map(Column::type).toList();
        return of(types, key.buffer(), key.offset(), key.lengthBytes());
    }

    /** The same of a key of such components. */
    static List<String> of(List<CqlType> types, byte[] bytes, int offset, int keyLengthBytes) {
        if (types.size() == 1) {
            return List.of(types.get(0).toText(bytes, offset, keyLengthBytes));
        }
        List<String> texts = new ArrayList<>();
        int at = offset;
        int end = at + keyLengthBytes;
        while (at + Short.BYTES <= end && texts.size() < types.size()) {
            int lengthBytes = (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
            at += Short.BYTES;
            if (lengthBytes > end - at) {
                break;
            }
            texts.add(types.get(texts.size()).toText(bytes, at, lengthBytes));
            at += lengthBytes + 1;
        }
        return texts;
    }

    /** The whole key as one text; in a composite one colons are escaped, so that those between its parts stay unique. */
    public static String joined(TableSchema schema, KeyView key) {
        return joined(of(schema, key));
    }

    public static String joined(TableSchema schema, byte[] key) {
        // The token does not show in the text.
        return joined(schema, new KeyView().wrap(0, key, 0, key.length));
    }

    public static String joined(List<String> parts) {
        return parts.size() == 1
                ? parts.get(0)
                : parts.stream().map(KeyText::escape).collect(Collectors.joining(":"));
    }

    private static String escape(String part) {
        if (part.isEmpty()) {
            return part;
        }
        String escaped = part.replace(":", "\\:");
        char last = escaped.charAt(escaped.length() - 1);
        return last == '\\' || last == '!' ? escaped + '!' : escaped;
    }

    /** The components of a clustering; an absent one is the text {@code null}. */
    public static List<String> of(TableSchema schema, Clustering clustering) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < clustering.size(); i++) {
            texts.add(
                    clustering.isAbsent(i)
                            ? "null"
                            : schema.clustering()
                                    .get(i)
                                    .type()
                                    .toText(clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i)));
        }
        return texts;
    }
}
