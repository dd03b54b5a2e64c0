package io.anneal.dualdao.journal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads a journal's file line by line. What follows the last line's end is what a crash cut off and is left out: it was never
 * acknowledged. Everything else that is no line is corruption, and nothing behind it can be trusted.
 */
final class JournalReader {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final Consumer<JournalLine> lines;
    private byte[] line = new byte[256];
    private int lineLength;
    private long lineOffset;

    JournalReader(Path file, Consumer<JournalLine> lines) {
        this.file = file;
        this.lines = lines;
    }

    /**
     * How the file ends.
     *
     * @param wholeBytes up to the end of its last whole line
     * @param clean whether nothing follows them
     */
    record End(long wholeBytes, boolean clean) {}

    /**
     * @throws JournalException if the file is corrupt or of another format
     * @throws IOException if it can't be read
     */
    End read() throws IOException {
        try (InputStream input = Files.newInputStream(file)) {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int read = input.read(buffer); read >= 0; read = input.read(buffer)) {
                int from = 0;
                for (int i = 0; i < read; i++) {
                    if (buffer[i] == '\n') {
                        append(buffer, from, i);
                        endLine();
                        from = i + 1;
                    }
                }
                append(buffer, from, read);
            }
        }
        return end();
    }

    private void append(byte[] buffer, int from, int to) {
        int length = to - from;
        if (lineLength + length > line.length) {
            line = Arrays.copyOf(line, Math.max(line.length * 2, lineLength + length));
        }
        System.arraycopy(buffer, from, line, lineLength, length);
        lineLength += length;
    }

    private void endLine() {
        if (lineOffset == 0) {
            requireHeader();
        } else {
            lines.accept(JournalLine.parse(line, lineLength).orElseThrow(() -> corrupt("not a line of a journal")));
        }
        lineOffset += lineLength + 1;
        lineLength = 0;
    }

    private void requireHeader() {
        String header = new String(line, 0, lineLength, StandardCharsets.ISO_8859_1);
        if (!header.equals(JournalLine.HEADER)) {
            throw corrupt("not a journal, or of a version that is not known");
        }
    }

    private End end() {
        if (lineOffset == 0) {
            throw corrupt("not a journal, the first line has no end");
        }
        if (lineLength == 0) {
            return new End(lineOffset, true);
        }
        // No crash leaves a whole line with another character in place of its end.
        if (JournalLine.wellFormed(line, lineLength - 1)) {
            throw corrupt("a line without its end");
        }
        // A line that lacks nothing but its end counts: one key too many does no harm, one too few does.
        JournalLine.parse(line, lineLength).ifPresent(lines);
        return new End(lineOffset, false);
    }

    private JournalException corrupt(String reason) {
        return new JournalException(
                "corrupt key journal, file=" + file + ", offset=" + lineOffset + ", reason=" + reason);
    }
}
