package io.anneal.dualdao.compare;

/**
 * One place in which two answers differ.
 *
 * @param path to it, as {@code items[3].d}; empty for the answer itself
 * @param origin as text, {@code (absent)} where there is none
 * @param target as text
 */
public record FieldDiff(String path, String origin, String target) {
    /** How a side's value reads where there is none. */
    public static final String ABSENT = "(absent)";

    /** How a value reads that is not shown. */
    public static final String REDACTED = "(redacted)";

    /** The same place without its values; that one is absent stays. */
    public FieldDiff redacted() {
        return new FieldDiff(path, redacted(origin), redacted(target));
    }

    private static String redacted(String value) {
        return value.equals(ABSENT) ? ABSENT : REDACTED;
    }
}
