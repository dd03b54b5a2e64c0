package io.anneal.repair;

import io.anneal.io.ByteWriter;
import io.anneal.schema.TableSchema;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the differences that an attempt reported until it is known that it has ended well: in memory, or where that is too much, in a
 * file. One thread.
 */
final class DifferenceLog implements DifferenceListener, Closeable {
    private static final int MEMORY_MAX_BYTES = 1 << 20;

    private final ByteWriter written = new ByteWriter(64);
    private Optional<TableSchema> schema = Optional.empty();
    private List<String> replicas = List.of();
    private Optional<FileChannel> file = Optional.empty();

    @Override
    public void begins(TableSchema table, List<String> names) {
        schema = Optional.of(table);
        replicas = names;
    }

    @Override
    public void deletionDiffers(DeletionDifference difference) throws IOException {
        DifferenceCodec.write(difference, written);
        spillIfMany();
    }

    @Override
    public void rowDiffers(RowDifference difference) throws IOException {
        DifferenceCodec.write(difference, written);
        spillIfMany();
    }

    private void spillIfMany() throws IOException {
        if (written.lengthBytes() >= MEMORY_MAX_BYTES) {
            spill();
        }
    }

    /** The length of what is written, and that. */
    private void spill() throws IOException {
        if (file.isEmpty()) {
            file = Optional.of(FileChannel.open(
                    Files.createTempFile("anneal-differences", ".tmp"),
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE));
        }
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + written.lengthBytes());
        bytes.putInt(written.lengthBytes())
                .put(written.array(), 0, written.lengthBytes())
                .flip();
        while (bytes.hasRemaining()) {
            file.get().write(bytes);
        }
        written.clear();
    }

    /** Tells all of it again. Nothing may be added afterwards. */
    void replay(DifferenceListener listener) throws IOException {
        if (schema.isEmpty()) {
            return;
        }
        listener.begins(schema.get(), replicas);
        if (file.isPresent()) {
            spill();
            file.get().position(0);
            DataInputStream in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(file.get())));
            for (long left = file.get().size(); left > 0; ) {
                byte[] part = new byte[in.readInt()];
                in.readFully(part);
                DifferenceCodec.tell(part, schema.get(), listener);
                left -= Integer.BYTES + part.length;
            }
        } else {
            DifferenceCodec.tell(written.toByteArray(), schema.get(), listener);
        }
        listener.ends();
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            file.get().close();
        }
    }
}
