package io.anneal.cli.command;

import java.util.Locale;

/** Numbers of things, as people read them. */
public final class Counted {
    private Counted() {}

    /** Returns {@code 1 row}, {@code 0 rows} or {@code 1,234 rows}. */
    public static String of(long count, String one) {
        return of(count, one, one + "s");
    }

    /** The same where more follows from the number than an {@code s}. */
    public static String of(long count, String one, String many) {
        return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : many);
    }
}
