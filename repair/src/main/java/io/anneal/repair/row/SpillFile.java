package io.anneal.repair.row;

import io.anneal.fragment.CanonicalEncoder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Encoded rows that are too large for a row buffer, in a file of the directory for temporary files. It is made when the
 * first of them comes, its name is gone at once where the system allows it, and its room is used again when no row of it is
 * held any more. It never becomes shorter. Owned by one thread.
 */
public final class SpillFile implements Closeable {
    private static final int PIECE_BYTES = 256 << 10;

    private Optional<FileChannel> file = Optional.empty();
    private long endPosition;
    private int held;

    /** Where a row lies in the file. */
    public record Spilled(long position, int lengthBytes) {}

    /** Writes one item. */
    interface Content {
        int writeTo(CanonicalEncoder.Output out) throws IOException;
    }

    /** Appends an item as {@code content} writes it. */
    Spilled append(Content content) throws IOException {
        FileChannel channel = channel();
        long start = endPosition;
        int lengthBytes = content.writeTo((buffer, offset, length) -> {
            ByteBuffer bytes = ByteBuffer.wrap(buffer, offset, length);
            while (bytes.hasRemaining()) {
                bytes.limit(pieceEnd(bytes, offset + length));
                endPosition += channel.write(bytes, endPosition);
                bytes.limit(offset + length);
            }
        });
        assert endPosition - start == lengthBytes : lengthBytes;
        held++;
        return new Spilled(start, lengthBytes);
    }

    /** Appends an encoded item. */
    public Spilled append(byte[] array, int offset, int lengthBytes) throws IOException {
        return append(out -> {
            out.write(array, offset, lengthBytes);
            return lengthBytes;
        });
    }

    /** A channel copies what it is given to memory outside the heap, and keeps that for the thread. */
    private static int pieceEnd(ByteBuffer bytes, int end) {
        return (int) Math.min(end, (long) bytes.position() + PIECE_BYTES);
    }

    private FileChannel channel() throws IOException {
        if (file.isEmpty()) {
            Path path = Files.createTempFile("anneal-rows", ".tmp");
            file = Optional.of(FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE));
        }
        return file.get();
    }

    /** The bytes of a row where they lie, without a copy. */
    ByteBuffer map(Spilled row) throws IOException {
        return channel().map(FileChannel.MapMode.READ_ONLY, row.position(), row.lengthBytes());
    }

    /** A copy of a row's bytes, in an array of their length. */
    public byte[] read(Spilled row) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(row.lengthBytes());
        while (bytes.hasRemaining()) {
            bytes.limit(pieceEnd(bytes, row.lengthBytes()));
            int read = channel().read(bytes, row.position() + bytes.position());
            bytes.limit(row.lengthBytes());
            if (read < 0) {
                throw new IOException("file of large rows is cut short, position=" + row.position() + ", lengthBytes="
                        + row.lengthBytes());
            }
        }
        return bytes.array();
    }

    /** Whether a row is held that was not forgotten. */
    boolean holdsAny() {
        return held > 0;
    }

    /** Notes that a row is not needed any more. The file stays as long as it is: a part of it may still be mapped. */
    public void forget(Spilled row) {
        held--;
        assert held >= 0 : held;
        if (held == 0) {
            endPosition = 0;
        } else if (row.position() + row.lengthBytes() == endPosition) {
            endPosition = row.position();
        }
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            file.get().close();
        }
    }
}
