package io.anneal.dualdao.control;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** What people give for the history, and where a migration is named: one line each, so that nobody takes it for several entries. */
public final class GivenText {
    private static final int CHARS_MAX = 1_000;
    private static final int NAME_ENCODED_MAX = 200;

    private GivenText() {}

    /**
     * Returns it.
     *
     * @param what it is, for the message
     * @throws IllegalArgumentException if it is empty, longer than 1,000 characters, or more than a line
     */
    public static String require(String what, String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(what + " is empty");
        }
        return requireLine(what, text);
    }

    /** The same of what may be empty. */
    public static String requireLine(String what, String text) {
        if (text.length() > CHARS_MAX) {
            throw new IllegalArgumentException(
                    what + " is too long, characters=" + text.length() + ", most=" + CHARS_MAX);
        }
        if (text.codePoints().anyMatch(GivenText::endsLine)) {
            throw new IllegalArgumentException(what + " has control characters, as a line break: write one line");
        }
        return text;
    }

    /** The name of a migration, which stores make file names of. */
    static void requireName(String name) {
        require("name", name);
        int encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).length();
        if (encoded > NAME_ENCODED_MAX) {
            throw new IllegalArgumentException(
                    "name is too long, encodedCharacters=" + encoded + ", most=" + NAME_ENCODED_MAX);
        }
    }

    private static boolean endsLine(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
