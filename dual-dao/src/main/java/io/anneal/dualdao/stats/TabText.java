package io.anneal.dualdao.stats;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Fields parted by tabs, as heartbeats carry what went wrong. Everybody who looks at the phase reads the heartbeats of all, so that
 * long fields are cut.
 */
final class TabText {
    private TabText() {}

    static String line(Object... fields) {
        return Stream.of(fields)
                .map(field -> field.toString()
                        .replace("\\", "\\\\")
                        .replace("\t", "\\t")
                        .replace("\n", "\\n"))
                .collect(Collectors.joining("\t"));
    }

    /**
     * What a line was made of.
     *
     * @throws IllegalArgumentException if it is not of that many fields
     */
    static String[] fields(String line, int count) {
        String[] fields = line.split("\t", -1);
        if (fields.length != count) {
            throw new IllegalArgumentException("not a line of so many fields, fields=" + fields.length);
        }
        for (int i = 0; i < count; i++) {
            fields[i] = unescaped(fields[i]);
        }
        return fields;
    }

    private static String unescaped(String field) {
        StringBuilder value = new StringBuilder(field.length());
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '\\' && i + 1 < field.length()) {
                char escaped = field.charAt(++i);
                value.append(escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped);
            } else {
                value.append(c);
            }
        }
        return value.toString();
    }

    static String cut(String text, int charsMax) {
        return text.length() > charsMax ? text.substring(0, charsMax) + "..." : text;
    }

    /** @throws IllegalArgumentException if it is no time */
    static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("not a time, at=" + text, e);
        }
    }
}
