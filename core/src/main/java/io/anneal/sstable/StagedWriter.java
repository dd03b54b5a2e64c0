package io.anneal.sstable;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes one table's rows to an {@link SSTableTarget}: as one SSTable, or several where the size limit ends one at the end
 * of a partition. Fragments come in order, as {@link FragmentWriter} wants them. Nothing remains of them unless
 * {@link #finish()} was reached; only a crash may leave complete SSTables, whose rows are right. Owned by one thread.
 */
public final class StagedWriter implements Closeable {
    public static final long SIZE_LIMIT_DEFAULT_BYTES = 1L << 30;

    private final SSTableTarget target;
    private final SSTableWriterConfig config;
    private final long sizeLimitBytes;
    private final List<Descriptor> completed = new ArrayList<>();

    /** Null between SSTables. */
    private FragmentWriter current;

    private long completedBytes;
    private boolean finished;
    private boolean closed;

    /**
     * Opens no file yet: what holds no row leaves none.
     *
     * @param config with the partitions expected in all
     * @param sizeLimitBytes of uncompressed data; a partition larger than this still passes
     */
    public StagedWriter(SSTableTarget target, SSTableWriterConfig config, long sizeLimitBytes) {
        if (sizeLimitBytes <= 0) {
            throw new IllegalArgumentException("size limit is not positive, sizeLimitBytes=" + sizeLimitBytes);
        }
        this.target = target;
        this.config = config;
        this.sizeLimitBytes = sizeLimitBytes;
    }

    /** Appends everything that the cursor still holds; partitions must ascend over all calls. */
    public void append(FragmentCursor cursor) throws IOException {
        while (cursor.advance() != null) {
            appendCurrent(cursor);
        }
    }

    /** Appends the fragment that the cursor stands at. */
    public void appendCurrent(FragmentCursor cursor) throws IOException {
        if (finished || closed) {
            throw new IllegalStateException("writer takes nothing any more, completed=" + completed);
        }
        if (current == null) {
            current = target.start(config);
        }
        current.appendCurrent(cursor);
        if (cursor.kind() == FragmentKind.PARTITION_END && current.dataLengthBytes() >= sizeLimitBytes) {
            complete();
        }
    }

    /** Ends the SSTable that is being written, if one is: the next partition begins another. */
    public void split() throws IOException {
        if (current != null) {
            complete();
        }
    }

    private void complete() throws IOException {
        long lengthBytes = current.dataLengthBytes();
        try (FragmentWriter writer = current) {
            // Partitions without content are left out, and an SSTable without partitions does not exist.
            if (lengthBytes > 0) {
                completed.add(writer.finish());
                completedBytes += lengthBytes;
            }
        }
        current = null;
    }

    /** Bytes of uncompressed data so far. */
    public long dataLengthBytes() {
        return completedBytes + (current == null ? 0 : current.dataLengthBytes());
    }

    /** Completes the last SSTable and says which there are: none when there was nothing to write. */
    public List<Descriptor> finish() throws IOException {
        if (finished || closed) {
            throw new IllegalStateException("writer is finished or closed already, completed=" + completed);
        }
        split();
        finished = true;
        return List.copyOf(completed);
    }

    /** Releases everything; removes all that was written when {@link #finish()} was not reached. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (current != null) {
                current.close();
            }
        } finally {
            if (!finished) {
                for (Descriptor descriptor : completed) {
                    descriptor.delete();
                }
            }
        }
    }
}
