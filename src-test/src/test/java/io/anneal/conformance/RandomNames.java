package io.anneal.conformance;

import io.anneal.schema.CqlType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Names that need quotes or none, each given once: of characters of one to four bytes, in upper case, reserved words, of 48 bytes,
 * with quotes in them, with the first bytes of another, or all of it.
 */
final class RandomNames {
    private static final List<String> STARTS = List.of(
            "a", "b", "z", "A", "Z", "1", "_", " ", "\"", "'", "\\", "~", "é", "É", "ß", "Ж", "€", "漢", "\uD83D\uDE00");

    private static final List<String> RESERVED = List.of("select", "table", "order", "token", "primary", "in", "nan");
    private static final int SHARED_BYTES = 8;
    private static final int LONG_BYTES = 48;

    private final SplittableRandom random;
    private final Set<String> given = new LinkedHashSet<>();

    RandomNames(SplittableRandom random) {
        this.random = random;
    }

    /** For a column of a type: Cassandra loses deletions of collections and the like whose names start with a non-ASCII character. */
    String next(CqlType type) {
        String name;
        do {
            name = draw();
        } while (name.isEmpty() || type.isMultiCell() && name.charAt(0) > 0x7F || !given.add(name));
        return name;
    }

    private String draw() {
        return switch (random.nextInt(8)) {
            case 0 -> RESERVED.get(random.nextInt(RESERVED.size()));
            case 1 -> padded(characters(1), LONG_BYTES);
            case 2 -> padded(earlier(), SHARED_BYTES) + characters(1 + random.nextInt(2));
            case 3 -> earlier() + characters(1);
            case 4 -> shortened(earlier());
            default -> characters(1 + random.nextInt(10));
        };
    }

    private String characters(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(STARTS.get(random.nextInt(STARTS.size())));
        }
        return text.toString();
    }

    private String earlier() {
        if (given.isEmpty()) {
            return characters(1);
        }
        return new ArrayList<>(given).get(random.nextInt(given.size()));
    }

    /** Without its last character. */
    private static String shortened(String name) {
        return name.substring(0, name.offsetByCodePoints(name.length(), -1));
    }

    private static String padded(String name, int bytes) {
        int missing = bytes - name.getBytes(StandardCharsets.UTF_8).length;
        return name + "x".repeat(Math.max(0, missing));
    }
}
