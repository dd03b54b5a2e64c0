package io.anneal.sstable.file;

import io.anneal.io.ByteReader;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.util.Arrays;

/**
 * A window that slides over a {@link ChunkSource}: consecutive chunks lie one behind the other in one heap array, so that
 * whatever is read between {@link #mark()} and the next is contiguous, whatever its size.
 *
 * <pre>
 *   base                                       (position in the data of array[0])
 *    | given up | what is read now |  ahead  | room |
 *    0         mark             offset     filled   capacity
 * </pre>
 *
 * <p>When there is no room for the next chunk, what lies before the mark is given up and the rest moves to the front;
 * only when even that does not help the array grows, to what is needed. Either changes {@link #epoch()}: offsets taken
 * since the mark are void then, and the caller starts again at the mark, now with all bytes there.
 */
public final class DataWindow {
    private static final int CAPACITY_MIN_BYTES = 64 * 1024;
    private static final int CAPACITY_DOUBLED_MAX_BYTES = 1024 * 1024;
    /** Beyond this, what a huge row needed is given back when it has passed. */
    private static final int CAPACITY_KEPT_MAX_BYTES = 16 * 1024 * 1024;

    private static final long CAPACITY_MAX_BYTES = Integer.MAX_VALUE - 16;

    private final ChunkSource source;
    private final ByteReader in = new ByteReader();
    private byte[] buffer;
    private long base;
    private int filled;
    private int mark;
    private long nextChunk;
    private int epoch;
    private long chunksRead;

    /** For reading on and on. */
    public DataWindow(ChunkSource source) {
        this(source, Math.max(CAPACITY_MIN_BYTES, 2L * source.chunkLengthBytes()));
    }

    private DataWindow(ChunkSource source, long capacityBytes) {
        this.source = source;
        buffer = new byte[(int) Math.min(capacityBytes, source.dataLengthBytes())];
        in.wrap(buffer, 0, 0);
    }

    /** For reading a little, most often out of one chunk: memory that is not used would take longer than reading. */
    public static DataWindow ofOneChunk(ChunkSource source) {
        return new DataWindow(source, source.chunkLengthBytes());
    }

    /** Reads what {@link #want} made available. */
    public ByteReader in() {
        return in;
    }

    public ChunkSource source() {
        return source;
    }

    /** Where the next byte lies in the data. */
    public long position() {
        return base + in.offset();
    }

    public long remainingBytes() {
        return source.dataLengthBytes() - position();
    }

    /** Number of chunks that were read so far, one that was read again counted again. */
    public long chunksRead() {
        return chunksRead;
    }

    /** Heap that it and its source occupy, roughly. */
    public long heldBytes() {
        return buffer.length + source.heldBytes();
    }

    public int epoch() {
        return epoch;
    }

    /** Everything before the next byte may be given up. */
    public void mark() {
        mark = in.offset();
    }

    /** Goes to a position between the mark and what is read ahead. */
    public void moveTo(long position) {
        unlimit();
        in.seek((int) (position - base));
    }

    public void backToMark() {
        unlimit();
        in.seek(mark);
    }

    /** The next {@code lengthBytes}, which must be available, are all that can be read until {@link #unlimit()}. */
    public void limit(int lengthBytes) {
        in.wrap(buffer, in.offset(), lengthBytes);
    }

    public void unlimit() {
        int offset = in.offset();
        in.wrap(buffer, 0, filled);
        in.seek(offset);
    }

    /** Makes {@code lengthBytes} available, or as many as there are. */
    public void want(long lengthBytes) throws IOException {
        if (in.remainingBytes() < lengthBytes) {
            fill(lengthBytes);
        }
    }

    private void fill(long lengthBytes) throws IOException {
        int offset = in.offset();
        while (filled - offset < lengthBytes && nextChunk < source.chunkCount()) {
            int chunkBytes = source.chunkLengthBytes(nextChunk);
            if (buffer.length - filled < chunkBytes || isTooLargeFor(lengthBytes + (offset - mark))) {
                int given = mark;
                makeRoom(chunkBytes, lengthBytes - (filled - offset));
                offset -= given;
                in.wrap(buffer, 0, filled);
                in.seek(offset);
            }
            source.readChunk(nextChunk, buffer, filled);
            filled += chunkBytes;
            nextChunk++;
            chunksRead++;
        }
        in.wrap(buffer, 0, filled);
        in.seek(offset);
    }

    /** Gives up everything before the next byte, and the memory that a huge row needed at once. */
    public void release() {
        mark();
        if (buffer.length <= CAPACITY_DOUBLED_MAX_BYTES) {
            return;
        }
        byte[] left = new byte[Math.max(CAPACITY_MIN_BYTES, filled - mark)];
        shiftTo(left);
        in.wrap(buffer, 0, filled);
    }

    private boolean isTooLargeFor(long wantedBytes) {
        return buffer.length > CAPACITY_KEPT_MAX_BYTES
                && Math.max(wantedBytes, filled - mark) < CAPACITY_KEPT_MAX_BYTES / 2;
    }

    private void makeRoom(int chunkBytes, long missingBytes) throws IOException {
        int kept = filled - mark;
        long chunks = (missingBytes + source.chunkLengthBytes() - 1) / source.chunkLengthBytes();
        long needed = Math.max((long) kept + chunkBytes, kept + chunks * source.chunkLengthBytes());
        byte[] target = buffer;
        if (needed > buffer.length || buffer.length > CAPACITY_KEPT_MAX_BYTES && needed <= CAPACITY_KEPT_MAX_BYTES) {
            if (needed > CAPACITY_MAX_BYTES) {
                throw source.corrupt(base + mark, "row is too large, lengthBytes=" + needed);
            }
            long doubled = Math.min(CAPACITY_DOUBLED_MAX_BYTES, 2L * buffer.length);
            target = new byte[(int) Math.max(needed, doubled)];
        }
        shiftTo(target);
    }

    /** What lies behind the mark; offsets are void. */
    private void shiftTo(byte[] target) {
        int kept = filled - mark;
        System.arraycopy(buffer, mark, target, 0, kept);
        buffer = target;
        base += mark;
        filled = kept;
        mark = 0;
        epoch++;
    }

    /** Moves to {@code position}, forward or back; the mark is there too. */
    public void seek(long position) throws IOException {
        if (position < 0 || position > source.dataLengthBytes()) {
            throw source.corrupt(position, "position lies behind the end, dataLengthBytes=" + source.dataLengthBytes());
        }
        if (position < base || position > base + filled) {
            nextChunk = position / source.chunkLengthBytes();
            base = nextChunk * source.chunkLengthBytes();
            filled = 0;
            mark = 0;
            in.wrap(buffer, 0, 0);
            fill(position - base);
        } else {
            unlimit();
        }
        in.seek((int) (position - base));
        mark();
    }

    /** A length read from the data, refused when it is longer than what is left. */
    public int checkedLength(long lengthBytes, String what) throws CorruptSSTableException {
        if (lengthBytes < 0 || lengthBytes > remainingBytes() || lengthBytes > CAPACITY_MAX_BYTES) {
            throw source.corrupt(
                    position(), what + " is longer than the data that is left, lengthBytes=" + lengthBytes);
        }
        return (int) lengthBytes;
    }

    /** A copy of available bytes; for what is kept. */
    public byte[] copy(int offset, int lengthBytes) {
        return Arrays.copyOfRange(buffer, offset, offset + lengthBytes);
    }
}
