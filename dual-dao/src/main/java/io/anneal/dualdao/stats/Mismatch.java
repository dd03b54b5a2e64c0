package io.anneal.dualdao.stats;

import io.anneal.dualdao.compare.FieldDiff;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers that differed for one cause, believed after they were read again: what was called, and the place and manner of the first
 * difference.
 *
 * @param first when
 * @param at when last
 * @param count since the instance started
 * @param operation of the last one, as are key and differences
 * @param differences at least one; their values are left out if the statistics redact them
 */
public record Mismatch(
        Instant first, Instant at, long count, String operation, String key, List<FieldDiff> differences) {
    static final int FIELDS_MAX = 5;
    private static final int VALUE_CHARS_MAX = 100;

    public Mismatch {
        differences = List.copyOf(differences);
    }

    /** In words, without keys, values and indexes: {@code find: items[].d differs}. */
    public String cause() {
        FieldDiff diff = differences.isEmpty() ? new FieldDiff("", "", "") : differences.get(0);
        String place = diff.path().isEmpty() ? "the answer" : diff.path().replaceAll("\\[[^\\]]*]", "[]");
        String how = diff.target().equals(FieldDiff.ABSENT)
                ? " is missing in the target"
                : diff.origin().equals(FieldDiff.ABSENT) ? " is in the target alone" : " differs";
        return operation + ": " + place + how;
    }

    Mismatch plus(Mismatch later) {
        return new Mismatch(
                first.isBefore(later.first) ? first : later.first,
                later.at,
                count + later.count,
                operation,
                later.key,
                later.differences);
    }

    /** A line with times, count, operation and key, then one for each difference. */
    String text() {
        StringBuilder text = new StringBuilder(TabText.line(first, at, count, cut(operation), cut(key)));
        differences.stream()
                .limit(FIELDS_MAX)
                .forEach(diff -> text.append('\n')
                        .append(TabText.line(cut(diff.path()), cut(diff.origin()), cut(diff.target()))));
        return text.toString();
    }

    private static String cut(String text) {
        return TabText.cut(text, VALUE_CHARS_MAX);
    }

    /** @throws IllegalArgumentException if the text is none */
    static Mismatch parse(String text) {
        String[] lines = text.split("\n", -1);
        String[] head = TabText.fields(lines[0], 5);
        List<FieldDiff> differences = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            String[] fields = TabText.fields(lines[i], 3);
            differences.add(new FieldDiff(fields[0], fields[1], fields[2]));
        }
        return new Mismatch(
                TabText.instant(head[0]),
                TabText.instant(head[1]),
                Long.parseLong(head[2]),
                head[3],
                head[4],
                differences);
    }
}
