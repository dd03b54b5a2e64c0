package io.anneal.io;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * A format of small text files, lines ended by a line feed:
 *
 * <pre>
 *   &lt;name&gt; &lt;version&gt;
 *   &lt;fact&gt;                        any number
 *   crc32 &lt;8 hexadecimal digits&gt;  of all bytes before this line
 * </pre>
 *
 * @param version the one that is written: a number
 */
public record TextFormat(String name, String version) {
    private static final Pattern VERSION = Pattern.compile("\\d{1,9}");
    private static final String CRC = "crc32 ";

    /** @param facts each with its line feed */
    public byte[] print(String facts) {
        String text = name + " " + version + "\n" + facts;
        return (text + checksumLine(text)).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the version of a file; empty when it is of another format. */
    public Optional<String> versionOf(String text) {
        String prefix = name + " ";
        int end = text.indexOf('\n');
        if (end < 0 || !text.startsWith(prefix)) {
            return Optional.empty();
        }
        Matcher number = VERSION.matcher(text).region(Math.min(prefix.length(), end), end);
        return number.matches() ? Optional.of(number.group()) : Optional.empty();
    }

    /** Returns the facts of a file, the first of them its second line; empty when its checksum is wrong. */
    public Optional<List<String>> facts(String text) {
        int start = text.indexOf('\n') + 1;
        int end = text.lastIndexOf("\n" + CRC) + 1;
        if (start == 0 || end < start || !text.substring(end).equals(checksumLine(text.substring(0, end)))) {
            return Optional.empty();
        }
        return Optional.of(
                start == end
                        ? List.of()
                        : List.of(text.substring(start, end - 1).split("\n", -1)));
    }

    private static String checksumLine(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return CRC + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
    }
}
