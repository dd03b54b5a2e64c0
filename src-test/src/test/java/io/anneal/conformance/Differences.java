package io.anneal.conformance;

import java.util.ArrayList;
import java.util.List;

/** Compares long lists of lines with a message that shows what differs and nothing else. */
public final class Differences {
    private static final int SHOWN_MAX = 5;

    private Differences() {}

    public static void assertSame(String what, List<String> ours, List<String> cassandras) {
        if (!ours.equals(cassandras)) {
            throw new AssertionError(what + "\nonly ours:" + missing(ours, cassandras) + "\nonly Cassandra's:"
                    + missing(cassandras, ours) + "\nfirst at line: " + firstDifference(ours, cassandras));
        }
    }

    private static String missing(List<String> from, List<String> in) {
        List<String> left = new ArrayList<>(from);
        in.forEach(left::remove);
        return " " + left.size() + "\n  " + String.join("\n  ", left.subList(0, Math.min(SHOWN_MAX, left.size())));
    }

    private static int firstDifference(List<String> left, List<String> right) {
        int line = 0;
        while (line < Math.min(left.size(), right.size()) && left.get(line).equals(right.get(line))) {
            line++;
        }
        return line;
    }
}
