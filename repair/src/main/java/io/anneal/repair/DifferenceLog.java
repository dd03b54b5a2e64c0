package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Keeps the differences that an attempt reported until it is known that it has ended well: in memory, or where that is too much, in a
 * file. One thread.
 */
final class DifferenceLog implements DifferenceListener, Closeable {
    private static final int MEMORY_MAX_BYTES = 1 << 20;

    private static final int DELETION = 0;
    private static final int ROW = 1;

    private final ByteWriter written = new ByteWriter(64);
    private final ByteWriter position = new ByteWriter(64);
    private Optional<TableSchema> schema = Optional.empty();
    private Optional<FileChannel> file = Optional.empty();

    @Override
    public void begins(TableSchema table) {
        schema = Optional.of(table);
    }

    @Override
    public void deletionDiffers(DecoratedKey key) {
        byte[] bytes = key.bytes();
        add(DELETION, bytes, bytes.length);
    }

    @Override
    public void rowDiffers(RingPosition place) {
        position.clear();
        place.encode(position);
        add(ROW, position.array(), position.lengthBytes());
    }

    private void add(int kind, byte[] bytes, int lengthBytes) {
        written.writeByte(kind);
        written.writeInt(lengthBytes);
        written.writeBytes(bytes, 0, lengthBytes);
        if (written.lengthBytes() >= MEMORY_MAX_BYTES) {
            try {
                spill();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void spill() throws IOException {
        if (file.isEmpty()) {
            file = Optional.of(FileChannel.open(
                    Files.createTempFile("anneal-differences", ".tmp"),
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE));
        }
        ByteBuffer bytes = ByteBuffer.wrap(written.array(), 0, written.lengthBytes());
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
        listener.begins(schema.get());
        if (file.isPresent()) {
            spill();
            file.get().position(0);
            tell(
                    new BufferedInputStream(Channels.newInputStream(file.get())),
                    file.get().size(),
                    listener);
        } else {
            tell(new ByteArrayInputStream(written.array()), written.lengthBytes(), listener);
        }
    }

    private void tell(InputStream from, long lengthBytes, DifferenceListener listener) throws IOException {
        int clusteringColumns = schema.orElseThrow().clustering().size();
        DataInputStream in = new DataInputStream(from);
        for (long at = 0; at < lengthBytes; ) {
            int kind = in.readUnsignedByte();
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            at += 1 + Integer.BYTES + bytes.length;
            if (kind == DELETION) {
                listener.deletionDiffers(DecoratedKey.of(bytes));
            } else {
                listener.rowDiffers(
                        RingPosition.decode(new ByteReader().wrap(ByteBuffer.wrap(bytes)), clusteringColumns));
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            file.get().close();
        }
    }
}
