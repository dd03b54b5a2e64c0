package io.anneal.sstable.file;

import io.anneal.io.StorageException;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** Digest.crc32: the package has the grammar. */
public final class DataDigest {
    private static final int BUFFER_BYTES = 128 * 1024;

    /** A number of ten digits, and room to see that it is something else. */
    private static final int TEXT_MAX_BYTES = 64;

    private DataDigest() {}

    /** Reads all of Data.db. */
    public static void verify(Descriptor descriptor) throws IOException {
        try (FileChannel digest = ComponentFiles.open(descriptor, Component.DIGEST);
                FileChannel data = ComponentFiles.open(descriptor, Component.DATA)) {
            Path file = descriptor.file(Component.DIGEST);
            int told = read(file, digest);
            int found = crc32(descriptor.file(Component.DATA), data);
            if (told != found) {
                throw new CorruptSSTableException(
                        file,
                        CorruptSSTableException.NO_POSITION,
                        "digest does not match the data, found=" + Integer.toUnsignedString(told) + ", expected="
                                + Integer.toUnsignedString(found));
            }
        }
    }

    /** The checksum that a Digest tells. */
    public static int read(Path file, FileChannel digest) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(TEXT_MAX_BYTES);
        readFully(file, digest, bytes, 0);
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1).strip();
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            throw new CorruptSSTableException(
                    file, CorruptSSTableException.NO_POSITION, "digest is no checksum, found=" + text, e);
        }
    }

    /** The checksum of a whole file, which is read. */
    public static int crc32(Path file, FileChannel channel) throws IOException {
        CRC32 crc = new CRC32();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        long position = 0;
        while (readFully(file, channel, buffer.clear(), position)) {
            crc.update(buffer.flip());
            position += buffer.limit();
        }
        return (int) crc.getValue();
    }

    /** Fills the buffer as far as there is something; false if nothing is there. */
    private static boolean readFully(Path file, FileChannel channel, ByteBuffer buffer, long position)
            throws StorageException {
        try {
            int count = 0;
            while (buffer.hasRemaining() && count >= 0) {
                count = channel.read(buffer, position + buffer.position());
            }
            return buffer.position() > 0;
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
    }
}
