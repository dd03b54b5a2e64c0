package io.anneal.net;

import java.util.regex.Pattern;

/** The one rule for codes of errors: what programs compare, metrics count by and peers may send. */
final class Codes {
    static final int CHARS_MAX = 64;

    private static final Pattern CODE = Pattern.compile("[a-z0-9-]{1," + CHARS_MAX + "}");

    private Codes() {}

    static boolean isCode(String code) {
        return CODE.matcher(code).matches();
    }

    static String check(String code) {
        if (!isCode(code)) {
            throw new IllegalArgumentException(
                    "a code has 1 to " + CHARS_MAX + " of a-z, 0-9 and hyphens, code=" + code);
        }
        return code;
    }
}
