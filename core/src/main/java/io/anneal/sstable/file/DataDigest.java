package io.anneal.sstable.file;

import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FileContent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Digest.crc32: the package has the grammar. */
public final class DataDigest {
    private DataDigest() {}

    /** Reads all of Data.db. */
    public static void verify(Descriptor descriptor) throws IOException {
        try (FileChannel digest = ComponentFiles.open(descriptor, Component.DIGEST);
                FileChannel data = ComponentFiles.open(descriptor, Component.DATA)) {
            Path file = descriptor.file(Component.DIGEST);
            int told = FileContent.digest(file, digest);
            int found = FileContent.of(descriptor.file(Component.DATA), data).crc32();
            if (told != found) {
                throw new CorruptSSTableException(
                        file,
                        CorruptSSTableException.NO_POSITION,
                        "digest does not match the data, found=" + Integer.toUnsignedString(told) + ", expected="
                                + Integer.toUnsignedString(found));
            }
        }
    }
}
