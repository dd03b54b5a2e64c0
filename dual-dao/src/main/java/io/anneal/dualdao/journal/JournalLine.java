package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Side;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A line of the journal's file, in UTF-8:
 *
 * <pre>
 *   checksum SP ('+' | '-') ('O' | 'T') SP reason TAB key LF
 * </pre>
 *
 * {@code +} adds a key that the origin or the target may lack, or gives it a new reason; {@code -} takes one out, with an empty
 * reason. The checksum is the CRC-32C of all between it and the line's end, the space before too, in eight lower-case hexadecimal
 * digits. In reason and key a backslash is doubled, and control characters and surrogates without their other half, which UTF-8
 * doesn't have, are written as a backslash, {@code u} and four digits.
 */
record JournalLine(boolean added, Side lacking, String reason, String key) {
    /** The file's first line: what it is, and the version of its format. */
    static final String HEADER = "anneal-journal 1";

    private static final int CHECKSUM_DIGITS = 8;
    private static final String HEX = "0123456789abcdef";

    byte[] bytes() {
        StringBuilder text = new StringBuilder(reason.length() + key.length() + 8);
        text.append(' ')
                .append(added ? '+' : '-')
                .append(lacking == Side.ORIGIN ? 'O' : 'T')
                .append(' ');
        escape(reason, text);
        text.append('\t');
        escape(key, text);
        byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
        byte[] line = new byte[CHECKSUM_DIGITS + body.length + 1];
        putChecksum(line, checksum(body, 0, body.length));
        System.arraycopy(body, 0, line, CHECKSUM_DIGITS, body.length);
        line[line.length - 1] = '\n';
        return line;
    }

    /** The line in these bytes, without its end; empty if it is none. */
    static Optional<JournalLine> parse(byte[] line, int lengthBytes) {
        if (!wellFormed(line, lengthBytes)) {
            return Optional.empty();
        }
        String text = new String(line, CHECKSUM_DIGITS, lengthBytes - CHECKSUM_DIGITS, StandardCharsets.UTF_8);
        int tab = text.indexOf('\t');
        if (tab < 4) {
            return Optional.empty();
        }
        return Optional.of(new JournalLine(
                text.charAt(1) == '+',
                text.charAt(2) == 'O' ? Side.ORIGIN : Side.TARGET,
                unescape(text.substring(4, tab)),
                unescape(text.substring(tab + 1))));
    }

    /** Whether the checksum is that of the rest. */
    static boolean wellFormed(byte[] line, int lengthBytes) {
        if (lengthBytes < CHECKSUM_DIGITS) {
            return false;
        }
        byte[] digits = new byte[CHECKSUM_DIGITS];
        putChecksum(digits, checksum(line, CHECKSUM_DIGITS, lengthBytes - CHECKSUM_DIGITS));
        for (int i = 0; i < CHECKSUM_DIGITS; i++) {
            if (digits[i] != line[i]) {
                return false;
            }
        }
        return true;
    }

    private static int checksum(byte[] bytes, int offset, int lengthBytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, lengthBytes);
        return (int) crc.getValue();
    }

    private static void putChecksum(byte[] line, int checksum) {
        for (int i = 0; i < CHECKSUM_DIGITS; i++) {
            line[i] = (byte) HEX.charAt(checksum >>> (28 - 4 * i) & 0xf);
        }
    }

    private static void escape(String value, StringBuilder text) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\\') {
                text.append("\\\\");
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                text.append(c).append(value.charAt(++i));
            } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
    }

    private static String unescape(String escaped) {
        if (escaped.indexOf('\\') < 0) {
            return escaped;
        }
        StringBuilder value = new StringBuilder(escaped.length());
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c != '\\') {
                value.append(c);
            } else if (escaped.charAt(++i) == 'u') {
                value.append((char) Integer.parseInt(escaped, i + 1, i + 5, 16));
                i += 4;
            } else {
                value.append(escaped.charAt(i));
            }
        }
        return value.toString();
    }
}
