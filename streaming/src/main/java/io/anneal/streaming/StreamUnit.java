package io.anneal.streaming;

import io.anneal.job.JobUnit;
import io.anneal.key.TokenRange;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Ranges of a table from one source to one target: what is tried again as one, and becomes the target's as one.
 *
 * @param source name of the source, without spaces
 * @param target name of the target, without spaces
 */
public record StreamUnit(String table, String source, String target, List<TokenRange> ranges) implements JobUnit {
    private static final String SEPARATOR = ";";

    public StreamUnit {
        for (String name : List.of(table, source, target)) {
            if (name.isEmpty() || name.indexOf(' ') >= 0) {
                throw new IllegalArgumentException(
                        "name is empty or has a space, table=" + table + ", source=" + source + ", target=" + target);
            }
        }
        ranges = List.copyOf(ranges);
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("no range is wanted, table=" + table + ", source=" + source);
        }
    }

    /** Reads a unit from its {@link #text()}. */
    public static StreamUnit parse(String text) {
        String[] words = text.split(" ", -1);
        if (words.length != 4) {
            throw new IllegalArgumentException(
                    "text is no unit of a table, a source, a target and ranges, text=" + text);
        }
        return new StreamUnit(
                words[0],
                words[1],
                words[2],
                Arrays.stream(words[3].split(SEPARATOR)).map(TokenRange::parse).toList());
    }

    /** Table, source, target and ranges. */
    @Override
    public String text() {
        return table + " " + source + " " + target + " "
                + ranges.stream().map(TokenRange::toString).collect(Collectors.joining(SEPARATOR));
    }

    @Override
    public double width() {
        return ranges.stream().mapToDouble(TokenRange::width).sum();
    }

    @Override
    public String toString() {
        return text();
    }
}
