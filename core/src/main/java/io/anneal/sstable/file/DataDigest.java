package io.anneal.sstable.file;

import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** Digest.crc32: the package has the grammar. */
public final class DataDigest {
    private static final int BUFFER_BYTES = 128 * 1024;

    private DataDigest() {}

    /** Reads all of Data.db. */
    public static void verify(Descriptor descriptor) throws IOException {
        Path file = descriptor.file(Component.DIGEST);
        String text = new String(ComponentFiles.readWhole(descriptor, Component.DIGEST), StandardCharsets.ISO_8859_1);
        CRC32 crc = new CRC32();
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = Files.newInputStream(descriptor.file(Component.DATA))) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                crc.update(buffer, 0, read);
            }
        }
        if (!text.strip().equals(Long.toString(crc.getValue()))) {
            throw new CorruptSSTableException(
                    file,
                    CorruptSSTableException.NO_POSITION,
                    "digest does not match the data, found=" + text.strip() + ", expected=" + crc.getValue());
        }
    }
}
