package io.anneal.sstable.big;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.file.ChunkSource;
import io.anneal.sstable.file.ComponentFiles;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.file.PlainChunks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Reads Index.db entry by entry; {@link BigFormat} has the grammar. The file has no checksums. Owned by one thread. */
final class IndexCursor implements Closeable {
    private static final int VINT_MAX_BYTES = 9;

    private final Partitioner partitioner;
    private final FileChannel channel;
    private final DataWindow window;
    private final KeyView key = new KeyView();
    private byte[] keyBytes = new byte[64];
    private int keyLengthBytes;
    private boolean hasToken;
    private long entryPosition;
    private long dataPosition;
    private int promotedLengthBytes;
    private long nextPosition;

    private IndexCursor(Partitioner partitioner, FileChannel channel, DataWindow window) {
        this.partitioner = partitioner;
        this.channel = channel;
        this.window = window;
    }

    /** For finding one entry of an open file, which stays open. */
    static IndexCursor over(Path file, Partitioner partitioner, FileChannel channel, long lengthBytes) {
        return new IndexCursor(
                partitioner, null, DataWindow.ofOneChunk(PlainChunks.forLookup(file, channel, lengthBytes)));
    }

    /** Over entries that are no file's yet. */
    static IndexCursor over(Partitioner partitioner, ChunkSource entries) {
        return new IndexCursor(partitioner, null, DataWindow.ofOneChunk(entries));
    }

    static IndexCursor open(Descriptor descriptor, Partitioner partitioner) throws IOException {
        FileChannel channel = ComponentFiles.open(descriptor, Component.INDEX);
        try {
            PlainChunks chunks = new PlainChunks(descriptor.file(Component.INDEX), channel, channel.size());
            return new IndexCursor(partitioner, channel, new DataWindow(chunks));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    long lengthBytes() {
        return window.source().dataLengthBytes();
    }

    /** The next entry will be the one at {@code position}. */
    void seek(long position) throws IOException {
        window.seek(position);
        nextPosition = position;
    }

    /** Moves to the next entry; false at the end. The key is valid until the next call. */
    boolean next() throws IOException {
        window.seek(nextPosition);
        entryPosition = nextPosition;
        if (window.remainingBytes() == 0) {
            return false;
        }
        try {
            readEntry();
        } catch (ByteUnderflowException e) {
            throw corrupt("index entry ends too early", e);
        }
        return true;
    }

    private void readEntry() throws IOException {
        ByteReader in = window.in();
        window.want(Short.BYTES);
        keyLengthBytes = in.readUnsignedShort();
        window.want(keyLengthBytes + 2 * VINT_MAX_BYTES);
        int keyOffset = in.skip(keyLengthBytes);
        if (keyBytes.length < keyLengthBytes) {
            keyBytes = new byte[keyLengthBytes];
        }
        System.arraycopy(in.array(), keyOffset, keyBytes, 0, keyLengthBytes);
        hasToken = false;
        dataPosition = in.readUnsignedVInt();
        if (dataPosition < 0) {
            throw corrupt("data position is negative, dataPosition=" + dataPosition, null);
        }
        promotedLengthBytes = window.checkedLength(in.readUnsignedVInt(), "promoted index");
        nextPosition = window.position() + promotedLengthBytes;
    }

    /** Its token is computed only now: who walks over all entries wants positions. */
    KeyView key() {
        if (!hasToken) {
            hasToken = true;
            key.wrap(partitioner.token(keyBytes, 0, keyLengthBytes), keyBytes, 0, keyLengthBytes);
        }
        return key;
    }

    /** Where this entry begins in Index.db. */
    long position() {
        return entryPosition;
    }

    /** Where the next entry begins in Index.db. */
    long nextPosition() {
        return nextPosition;
    }

    /** Where the partition begins in the data. */
    long dataPosition() {
        return dataPosition;
    }

    /** Length of the block index of a wide partition; 0 when it has none. */
    int promotedLengthBytes() {
        return promotedLengthBytes;
    }

    /** The window at the beginning of the promoted index, for whoever reads it. */
    DataWindow promoted() {
        return window;
    }

    CorruptSSTableException corrupt(String reason, Throwable cause) {
        return new CorruptSSTableException(window.source().file(), entryPosition, reason, cause);
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
