package io.anneal.cli.sstable;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes JSON laid out as sstabledump's is: two blanks a level, one entry a line, but for stretches that are written
 * compactly, where a blank takes the place of line break and indentation. With {@code lines} there is no blank anywhere
 * and every top-level value has a line of its own. Owned by one thread; {@link #finish()} writes what is left.
 */
final class DumpJson {
    private static final int FLUSH_CHARS = 64 * 1024;
    private static final int DEPTH_MAX = 32;
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private final OutputStream out;
    private final boolean lines;
    private final StringBuilder text = new StringBuilder();
    private final int[] entries = new int[DEPTH_MAX];
    private final char[] ends = new char[DEPTH_MAX];
    private int depth;
    private boolean afterName;
    private boolean compactObjects;
    private boolean compactArrays;

    DumpJson(OutputStream out, boolean lines) {
        this.out = out;
        this.lines = lines;
    }

    void compactObjects(boolean compact) {
        compactObjects = compact;
    }

    void compactArrays(boolean compact) {
        compactArrays = compact;
    }

    void startObject() throws IOException {
        beforeValue();
        text.append('{');
        entries[++depth] = 0;
        ends[depth] = '}';
    }

    void endObject() {
        end('}', compactObjects);
    }

    void startArray() throws IOException {
        beforeValue();
        text.append('[');
        entries[++depth] = 0;
        ends[depth] = ']';
    }

    void endArray() {
        end(']', compactArrays);
    }

    private void end(char close, boolean compact) {
        int count = entries[depth--];
        if (!lines) {
            if (count == 0) {
                text.append(' ');
            } else {
                indent(compact);
            }
        }
        text.append(close);
    }

    void name(String name) {
        if (entries[depth]++ > 0) {
            text.append(',');
        }
        if (!lines) {
            indent(compactObjects);
        }
        quote(name);
        text.append(lines ? ":" : " : ");
        afterName = true;
    }

    void string(String value) throws IOException {
        beforeValue();
        quote(value);
    }

    void number(long value) throws IOException {
        beforeValue();
        text.append(value);
    }

    void bool(boolean value) throws IOException {
        beforeValue();
        text.append(value);
    }

    /** The place to append a value that is JSON already. */
    StringBuilder raw() throws IOException {
        beforeValue();
        return text;
    }

    private void beforeValue() throws IOException {
        if (afterName) {
            afterName = false;
            return;
        }
        int count = entries[depth]++;
        if (depth == 0) {
            if (count > 0) {
                text.append(lines ? '\n' : ' ');
            }
        } else {
            if (count > 0) {
                text.append(',');
            }
            if (!lines) {
                indent(compactArrays);
            }
        }
        if (text.length() >= FLUSH_CHARS) {
            flush();
        }
    }

    private void indent(boolean compact) {
        if (compact) {
            text.append(' ');
            return;
        }
        text.append('\n');
        for (int i = 0; i < depth; i++) {
            text.append("  ");
        }
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\b' -> text.append("\\b");
                case '\f' -> text.append("\\f");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c < ' ') {
                        text.append("\\u00").append(HEX[c >> 4]).append(HEX[c & 0xF]);
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }

    private void flush() throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        text.setLength(0);
    }

    /** Ends all that is open, as after an error: what was written stays JSON. */
    void cut() throws IOException {
        if (afterName) {
            raw().append("null");
        }
        while (depth > 0) {
            end(ends[depth], false);
        }
        finish();
    }

    /** Returns whether no entry was written, of the array or of the lines. */
    boolean isEmpty() {
        return entries[lines ? 0 : 1] == 0;
    }

    void finish() throws IOException {
        flush();
        out.flush();
    }
}
