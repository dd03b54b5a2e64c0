package io.anneal.sstable;

import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32;

/**
 * What a file holds, as far as two nodes have to agree on it.
 *
 * @param crc32 of all its bytes, as Digest has it for the data
 */
public record FileContent(long lengthBytes, int crc32) {
    private static final int BUFFER_BYTES = 128 * 1024;

    /** A number of ten digits, and room to see that it is something else. */
    private static final int TEXT_MAX_BYTES = 64;

    public FileContent {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("file has a negative length, lengthBytes=" + lengthBytes);
        }
    }

    /** The checksum that a Digest tells. */
    public static int digest(Path file, FileChannel digest) throws IOException {
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

    /** Reads all of the data. */
    public static void requireAsDigestTells(Descriptor sstable, FileChannel digest, FileChannel data)
            throws IOException {
        Path file = sstable.file(Component.DIGEST);
        int told = digest(file, digest);
        int found = of(sstable.file(Component.DATA), data).crc32();
        if (told != found) {
            throw new CorruptSSTableException(
                    file,
                    CorruptSSTableException.NO_POSITION,
                    "digest does not match the data, found=" + Integer.toUnsignedString(told) + ", expected="
                            + Integer.toUnsignedString(found));
        }
    }

    /** Reads a whole file. */
    public static FileContent of(Path file, FileChannel channel) throws IOException {
        CRC32 crc = new CRC32();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        long position = 0;
        while (readFully(file, channel, buffer.clear(), position)) {
            crc.update(buffer.flip());
            position += buffer.limit();
        }
        return new FileContent(position, (int) crc.getValue());
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
