package io.anneal.io;

import java.util.Locale;

/** Text of somebody else's, for a log or a terminal: what could begin a line or steer the terminal is escaped. */
public final class PrintableText {
    private PrintableText() {}

    /** Control characters, and others that print nothing, become {@code \\uXXXX}. */
    public static String of(String text) {
        int at = 0;
        while (at < text.length() && isPrintable(text.charAt(at))) {
            at++;
        }
        if (at == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, at);
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (isPrintable(c)) {
                out.append(c);
            } else {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        return out.toString();
    }

    private static boolean isPrintable(char c) {
        return switch (Character.getType(c)) {
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
