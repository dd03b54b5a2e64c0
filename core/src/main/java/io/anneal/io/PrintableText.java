package io.anneal.io;

import java.util.Locale;

/** Text of somebody else's, for a log or a terminal: what could begin a line or steer the terminal is escaped. */
public final class PrintableText {
    private PrintableText() {}

    /** Control characters, and others that print nothing, become {@code \\uXXXX}. */
    public static String of(String text) {
        if (text.codePoints().allMatch(PrintableText::isPrintable)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(codePoint -> {
            if (isPrintable(codePoint)) {
                out.appendCodePoint(codePoint);
            } else {
                for (char c : Character.toChars(codePoint)) {
                    out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                }
            }
        });
        return out.toString();
    }

    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
