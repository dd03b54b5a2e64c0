package io.anneal.sstable.file;

import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FileContent;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** Digest.crc32: the package has the grammar. */
public final class DataDigest {
    private DataDigest() {}

    /** Reads all of Data.db. */
    public static void verify(Descriptor descriptor) throws IOException {
        try (FileChannel digest = ComponentFiles.open(descriptor, Component.DIGEST);
                FileChannel data = ComponentFiles.open(descriptor, Component.DATA)) {
            FileContent.requireAsDigestTells(descriptor, digest, data);
        }
    }
}
