package io.anneal.repair.row;

import io.anneal.io.ByteWriter;
import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Where the rows of a {@link RowBuffer} lie: arrays of one size, each filled with rows in turn. So nothing is moved when
 * more rows come or when those in front are dropped, and what was dropped is filled again. A row that is larger has a chunk
 * of its own, which is not kept. Owned by one thread, until it is closed.
 */
final class RowChunks implements AutoCloseable {
    private static final int CHUNK_MAX_BYTES = 256 << 10;
    private static final int CHUNK_MIN_BYTES = 1 << 10;
    /** A buffer has at least so many. */
    private static final int CHUNKS_MIN = 16;

    private static final ByteWriter NOTHING = new ByteWriter(0);

    /**
     * What closed ones have left for the next, as long as nobody needs the memory. A session is short where many run at once: new
     * chunks for each would be garbage soon, but copied first by the collector. No more than sessions held at one time.
     */
    private static final Deque<SoftReference<ByteWriter>> SPARE = new ConcurrentLinkedDeque<>();

    private final int chunkBytes;
    private final int chunksMax;
    private final List<ByteWriter> chunks = new ArrayList<>();
    private final Deque<ByteWriter> free = new ArrayDeque<>();
    /** Number of the first chunk that is held: numbers only grow. */
    private int firstNumber;
    /** The last chunk, or nothing. */
    private ByteWriter last = NOTHING;

    RowChunks(long capacityBytes) {
        chunkBytes = (int) Math.max(CHUNK_MIN_BYTES, Math.min(CHUNK_MAX_BYTES, capacityBytes / CHUNKS_MIN));
        chunksMax = (int) Math.min(Integer.MAX_VALUE, capacityBytes / chunkBytes + 1);
    }

    /** Where the next row is encoded to: in the last chunk, or in a new one if that has no room for it. */
    ByteWriter next(long expectedBytes) {
        assert expectedBytes > 0 : expectedBytes;
        if (last.capacityBytes() - last.lengthBytes() < expectedBytes) {
            last = expectedBytes > chunkBytes ? new ByteWriter((int) expectedBytes) : empty();
            chunks.add(last);
        }
        return last;
    }

    private ByteWriter empty() {
        if (!free.isEmpty()) {
            return free.pop();
        }
        ByteWriter spare = chunkBytes == CHUNK_MAX_BYTES ? spare() : null;
        return spare == null ? new ByteWriter(chunkBytes) : spare;
    }

    /** Null if there is none. */
    private static ByteWriter spare() {
        ByteWriter spare = null;
        SoftReference<ByteWriter> next;
        while (spare == null && (next = SPARE.pollFirst()) != null) {
            spare = next.get();
        }
        return spare;
    }

    /** Number of the last chunk. */
    int lastNumber() {
        return firstNumber + chunks.size() - 1;
    }

    byte[] array(int number) {
        return chunks.get(number - firstNumber).array();
    }

    /** Forgets all chunks before one. */
    void dropBefore(int number) {
        List<ByteWriter> dropped = chunks.subList(0, number - firstNumber);
        for (ByteWriter chunk : dropped) {
            if (chunk.capacityBytes() == chunkBytes && free.size() < chunksMax) {
                chunk.clear();
                free.push(chunk);
            }
        }
        dropped.clear();
        firstNumber = number;
    }

    /** Forgets all. */
    void clear() {
        dropBefore(firstNumber + chunks.size());
        last = NOTHING;
    }

    /** Leaves the chunks to whoever comes next. */
    @Override
    public void close() {
        clear();
        if (chunkBytes == CHUNK_MAX_BYTES) {
            free.forEach(chunk -> SPARE.addFirst(new SoftReference<>(chunk)));
        }
        free.clear();
    }

    /** Memory that is taken, dropped chunks that are kept included. */
    long capacityBytes() {
        return (long) chunkBytes * free.size()
                + chunks.stream().mapToLong(ByteWriter::capacityBytes).sum();
    }
}
