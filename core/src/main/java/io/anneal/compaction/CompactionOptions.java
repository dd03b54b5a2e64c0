package io.anneal.compaction;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a table's {@code compaction} map, and refuses what nobody asked for and what is out of range; the message names the
 * option and its value. One thread.
 */
final class CompactionOptions {
    private static final Pattern SIZE = Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*(?:([KMGT])(i?))?B?\\s*");
    private static final String PREFIXES = "KMGT";
    private static final int BINARY_STEP = 1024;
    private static final int DECIMAL_STEP = 1000;

    private final Map<String, String> given;
    private final Set<String> asked = new HashSet<>();

    CompactionOptions(Map<String, String> given) {
        this.given = given;
    }

    String text(String name, String otherwise) {
        asked.add(name);
        String value = given.get(name);
        return value == null ? otherwise : value.strip();
    }

    boolean flag(String name, boolean otherwise) {
        String value = text(name, Boolean.toString(otherwise)).toLowerCase(Locale.ROOT);
        if (!value.equals("true") && !value.equals("false")) {
            throw bad(name, "is neither true nor false");
        }
        return value.equals("true");
    }

    long whole(String name, long otherwise, long min, long max) {
        try {
            long value = Long.parseLong(text(name, Long.toString(otherwise)));
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(bad(name, "is no whole number").getMessage(), e);
        }
        throw bad(name, "is not from " + min + " to " + max);
    }

    /** As Cassandra, which counts in 32 bits. */
    int count(String name, int otherwise, int min) {
        return (int) whole(name, otherwise, min, Integer.MAX_VALUE);
    }

    double number(String name, double otherwise, double min) {
        try {
            double value = Double.parseDouble(text(name, Double.toString(otherwise)));
            if (value >= min) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(bad(name, "is no number").getMessage(), e);
        }
        throw bad(name, "is not " + min + " or more");
    }

    /** A number with a unit, as {@code 100MiB}; without one, bytes. */
    long bytes(String name, long otherwise) {
        String value = text(name, Long.toString(otherwise));
        Matcher matcher = SIZE.matcher(value);
        if (!matcher.matches()) {
            throw bad(name, "is no size, as 100MiB or a number of bytes");
        }
        int step = "i".equals(matcher.group(3)) ? BINARY_STEP : DECIMAL_STEP;
        int power = matcher.group(2) == null ? 0 : PREFIXES.indexOf(matcher.group(2)) + 1;
        double bytes = Double.parseDouble(matcher.group(1)) * Math.pow(step, power);
        if (bytes > Long.MAX_VALUE) {
            throw bad(name, "is above " + Long.MAX_VALUE + " bytes");
        }
        return (long) bytes;
    }

    IllegalArgumentException bad(String name, String what) {
        return new IllegalArgumentException("option of compaction " + what + ", option=" + name + ", value="
                + given.getOrDefault(name, "its default"));
    }

    /** To be called when everything was asked for. */
    void refuseOthers(String className) {
        Set<String> others = new TreeSet<>(given.keySet());
        others.removeAll(asked);
        if (!others.isEmpty()) {
            String unknown = others.iterator().next();
            throw new IllegalArgumentException("option of compaction is not known, option=" + unknown + ", value="
                    + given.get(unknown) + ", class=" + className + ", known=" + new TreeSet<>(asked));
        }
    }
}
