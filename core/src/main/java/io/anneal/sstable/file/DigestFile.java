package io.anneal.sstable.file;

import io.anneal.io.OutputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The Digest component: the CRC32 of the whole Data file as decimal text. */
final class DigestFile {
    private DigestFile() {}

    static void write(Path file, long crc, OutputFile.Opener opener) throws IOException {
        byte[] text = Long.toString(crc).getBytes(StandardCharsets.US_ASCII);
        try (OutputFile out = OutputFile.open(file, opener)) {
            out.write(text, 0, text.length);
            out.sync();
        }
    }
}
