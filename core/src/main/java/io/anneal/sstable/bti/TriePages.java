package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Positional reads of a file of tries in pages, of which the last few stay in memory: one search touches few. No node crosses a
 * page. Owned by one thread at a time; the channel may be shared and stays open.
 */
final class TriePages {
    static final int PAGE_BYTES = 4096;
    private static final int PAGES_MAX = 16;

    private final Path file;
    private final FileChannel channel;
    private final long lengthBytes;
    private final byte[][] pages = new byte[PAGES_MAX][];
    private final long[] numbers = new long[PAGES_MAX];
    private final long[] lastUses = new long[PAGES_MAX];
    private long uses;
    /** The slot that was used last: a node and its children often lie in one page. */
    private int lastSlot;

    TriePages(Path file, FileChannel channel, long lengthBytes) {
        this.file = file;
        this.channel = channel;
        this.lengthBytes = lengthBytes;
        Arrays.fill(numbers, -1);
    }

    long lengthBytes() {
        return lengthBytes;
    }

    /** The page of a position that lies in the file; valid until the next call. */
    byte[] pageOf(long position) throws IOException {
        assert position >= 0 && position < lengthBytes : position;
        long number = position / PAGE_BYTES;
        if (numbers[lastSlot] == number) {
            return pages[lastSlot];
        }
        int slot = 0;
        for (int i = 0; i < PAGES_MAX; i++) {
            if (numbers[i] == number) {
                lastUses[i] = ++uses;
                lastSlot = i;
                return pages[i];
            }
            if (lastUses[i] < lastUses[slot]) {
                slot = i;
            }
        }
        read(number, slot);
        lastUses[slot] = ++uses;
        lastSlot = slot;
        return pages[slot];
    }

    /** Where the file ends in the page of a position. */
    int limitOf(long position) {
        return (int) Math.min(PAGE_BYTES, lengthBytes - position / PAGE_BYTES * PAGE_BYTES);
    }

    private void read(long number, int slot) throws IOException {
        if (pages[slot] == null) {
            pages[slot] = new byte[PAGE_BYTES];
        }
        numbers[slot] = -1;
        long start = number * PAGE_BYTES;
        int wantedBytes = limitOf(start);
        ByteBuffer view = ByteBuffer.wrap(pages[slot], 0, wantedBytes);
        while (view.hasRemaining()) {
            if (channel.read(view, start + view.position()) < 0) {
                throw corrupt(start + view.position(), "file became shorter while it was read", null);
            }
        }
        numbers[slot] = number;
    }

    /** Appends bytes of the file, or as many of them as there are. */
    void copy(long position, int wantedBytes, ByteWriter out) throws IOException {
        long end = Math.min(position + wantedBytes, lengthBytes);
        for (long at = position; at < end; ) {
            int offset = (int) (at % PAGE_BYTES);
            int part = (int) Math.min(end - at, PAGE_BYTES - offset);
            out.writeBytes(pageOf(at), offset, part);
            at += part;
        }
    }

    long heldBytes() {
        return Math.min(uses, PAGES_MAX) * PAGE_BYTES;
    }

    CorruptSSTableException corrupt(long position, String reason, Throwable cause) {
        return new CorruptSSTableException(file, position, reason, cause);
    }
}
