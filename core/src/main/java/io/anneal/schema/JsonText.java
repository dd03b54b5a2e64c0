package io.anneal.schema;

/** Strings in JSON, escaped as Jackson does by default: only what JSON demands, control characters in upper-case hex. */
final class JsonText {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private JsonText() {}

    static void appendQuoted(CharSequence text, StringBuilder out) {
        out.append('"');
        appendEscaped(text, out);
        out.append('"');
    }

    static void appendEscaped(CharSequence text, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (c < 0x20) {
                        out.append("\\u00").append(HEX[c >> 4]).append(HEX[c & 0xF]);
                    } else {
                        out.append(c);
                    }
                }
            }
        }
    }
}
