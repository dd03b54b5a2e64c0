package io.anneal.dualdao.stats;

import io.anneal.dualdao.compare.FieldDiff;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Mismatches as heartbeats carry them: a line with time, operation and key, then a line a field with its path and the two
 * values, all parted by tabs. Both are cut, since everybody who looks at the phase reads the heartbeats of all.
 */
final class MismatchText {
    static final int FIELDS_MAX = 5;
    static final int VALUE_CHARS_MAX = 100;

    private MismatchText() {}

    static String format(Mismatch mismatch) {
        StringBuilder text = new StringBuilder(200);
        appendLine(text, mismatch.at().toString(), mismatch.operation(), mismatch.key());
        mismatch.differences().stream().limit(FIELDS_MAX).forEach(diff -> {
            text.append('\n');
            appendLine(text, diff.path(), diff.origin(), diff.target());
        });
        return text.toString();
    }

    private static void appendLine(StringBuilder text, String first, String second, String third) {
        appendEscaped(text, first);
        text.append('\t');
        appendEscaped(text, second);
        text.append('\t');
        appendEscaped(text, third);
    }

    private static void appendEscaped(StringBuilder text, String value) {
        int end = Math.min(value.length(), VALUE_CHARS_MAX);
        for (int i = 0; i < end; i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '\t' -> text.append("\\t");
                case '\n' -> text.append("\\n");
                default -> text.append(c);
            }
        }
        if (end < value.length()) {
            text.append("...");
        }
    }

    /**
     * @throws IllegalArgumentException if the text is none
     */
    static Mismatch parse(String text) {
        String[] lines = text.split("\n", -1);
        String[] head = fields(lines[0]);
        List<FieldDiff> differences = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            String[] fields = fields(lines[i]);
            differences.add(new FieldDiff(fields[0], fields[1], fields[2]));
        }
        try {
            return new Mismatch(Instant.parse(head[0]), head[1], head[2], differences);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("not the time of a mismatch, at=" + head[0], e);
        }
    }

    private static String[] fields(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != 3) {
            throw new IllegalArgumentException("not a line of a mismatch, fields=" + fields.length);
        }
        for (int i = 0; i < fields.length; i++) {
            fields[i] = unescaped(fields[i]);
        }
        return fields;
    }

    private static String unescaped(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
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
}
