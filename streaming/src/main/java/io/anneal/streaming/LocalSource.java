package io.anneal.streaming;

import io.anneal.fragment.FragmentCursor;
import io.anneal.sstable.Component;
import io.anneal.sstable.IncomingBytes;
import io.anneal.sstable.SectionSource;
import io.anneal.store.LiveFiles.OpenFile;
import io.anneal.streaming.message.FileContents;
import io.anneal.streaming.message.Inventory;
import io.anneal.streaming.message.OpenSource;
import io.anneal.streaming.message.SectionContents;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A source in the target's own process: the same bytes and the same checks as over a network, without one. */
final class LocalSource implements SourceSession {
    private static final int PIECE_BYTES = 256 << 10;

    private final HeldSource held;
    private final Inventory inventory;

    private LocalSource(HeldSource held, Inventory inventory) {
        this.held = held;
        this.inventory = inventory;
    }

    static LocalSource open(StreamSource.Here source, OpenSource wanted, UUID id) throws IOException {
        HeldSource held = HeldSource.open(source.tables(), wanted, id, source.sectionsMinBytes());
        LocalSource opened = null;
        try {
            opened = new LocalSource(held, held.inventory());
            return opened;
        } finally {
            if (opened == null) {
                held.release();
            }
        }
    }

    @Override
    public String name() {
        return inventory.replica().name();
    }

    @Override
    public Inventory inventory() {
        return inventory;
    }

    @Override
    public CompletableFuture<FileContents> describe(int sstable) {
        try {
            return CompletableFuture.completedFuture(held.contents(sstable));
        } catch (IOException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    @Override
    public SectionContents describePart(int sstable) throws IOException {
        return held.sections(sstable);
    }

    @Override
    public Asked ask(int sstable, Component component, IncomingBytes into) {
        return new Asked() {
            @Override
            public void fetch(PieceCount received) throws IOException {
                Copy copy = new Copy(into, received);
                if (held.isPart(sstable)) {
                    sections(held.part(sstable), copy);
                } else {
                    try (OpenFile file = held.file(sstable, component).open()) {
                        copy.take(file.channel(), 0, file.channel().size());
                    }
                }
            }

            @Override
            public void close() {
                // Nothing is on its way.
            }
        };
    }

    private static void sections(HeldSource.Part part, Copy copy) throws IOException {
        try (OpenFile data = part.sstable().files().get(Component.DATA).open();
                SectionSource blocks = part.sections().open()) {
            while (blocks.next()) {
                copy.take(blocks.head());
                copy.take(data.channel(), blocks.chunksPosition(), blocks.chunksLengthBytes());
            }
        }
    }

    /** Passes on what the target does not have yet. */
    private static final class Copy {
        private final IncomingBytes into;
        private final PieceCount received;
        private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        private long skippedBytes;

        Copy(IncomingBytes into, PieceCount received) {
            this.into = into;
            this.received = received;
            skippedBytes = into.position();
        }

        void take(FileChannel from, long start, long lengthBytes) throws IOException {
            long skipped = Math.min(skippedBytes, lengthBytes);
            skippedBytes -= skipped;
            long position = start + skipped;
            long end = start + lengthBytes;
            while (position < end) {
                piece.clear().limit((int) Math.min(PIECE_BYTES, end - position));
                if (from.read(piece, position) < 0) {
                    throw new EOFException("file ends before its end, position=" + position + ", end=" + end);
                }
                position += piece.position();
                append(piece.flip());
            }
        }

        void take(ByteBuffer bytes) throws IOException {
            int skipped = (int) Math.min(skippedBytes, bytes.remaining());
            skippedBytes -= skipped;
            append(bytes.position(bytes.position() + skipped));
        }

        private void append(ByteBuffer bytes) throws IOException {
            int lengthBytes = bytes.remaining();
            if (lengthBytes > 0) {
                into.append(bytes);
                received.came(lengthBytes);
            }
        }
    }

    @Override
    public void rows(FragmentDecoder into, PieceCount received) throws IOException {
        FragmentEncoder encoder = new FragmentEncoder(held.schema(), 2 * PIECE_BYTES);
        for (HeldSource.RowScan scan : held.rows(Long.MIN_VALUE)) {
            try (FragmentCursor cursor = scan.open()) {
                while (cursor.advance() != null) {
                    encoder.add(cursor);
                    if (encoder.lengthBytes() >= PIECE_BYTES) {
                        pass(encoder, into, received);
                    }
                }
            }
        }
        pass(encoder, into, received);
        into.end();
    }

    private static void pass(FragmentEncoder encoder, FragmentDecoder into, PieceCount received) throws IOException {
        ByteBuffer encoded = encoder.bytes();
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        into.decode(bytes);
        received.came(bytes.length);
        encoder.clear();
    }

    @Override
    public void close() {
        held.release();
    }
}
