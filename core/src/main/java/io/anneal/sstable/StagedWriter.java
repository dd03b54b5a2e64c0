package io.anneal.sstable;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes one table's rows to an {@link SSTableTarget}: as one SSTable, or several where the size limit ends one at the end
 * of a partition, at a disk boundary, or where rows belong into different time
 * windows. Fragments come in order, as {@link FragmentWriter} wants
 * them. Nothing remains of them unless {@link #finish()} was reached; only a crash may leave complete SSTables, whose rows are
 * right. Owned by one thread.
 */
public final class StagedWriter implements Closeable {
    public static final long SIZE_LIMIT_DEFAULT_BYTES = 1L << 30;

    /** So many SSTables are written at once, of time windows; more would share them. */
    static final int WINDOWS_MAX = 32;
    /** Partitions for which all filters together have room. */
    private static final long WINDOWS_PARTITIONS_MAX = 32_000_000;

    private static final long ONLY_WINDOW = 0;

    private final SSTableTarget target;
    private final SSTableWriterConfig config;
    private final SSTableCuts cuts;
    private final Optional<WindowRouter> router;
    private final int windowsMax;
    private final List<Descriptor> completed = new ArrayList<>();

    /** By window. */
    private final List<WindowWriter> open = new ArrayList<>();

    private int disk;
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
        this(target, config, SSTableCuts.bySize(sizeLimitBytes));
    }

    /**
     * Opens no file yet.
     *
     * @param config with the partitions expected in all
     */
    public StagedWriter(SSTableTarget target, SSTableWriterConfig config, SSTableCuts cuts) {
        this.target = target;
        this.config = config;
        this.cuts = cuts;
        windowsMax = (int) Math.max(
                2, Math.min(WINDOWS_MAX, WINDOWS_PARTITIONS_MAX / Math.max(1, config.expectedPartitions())));
        router = cuts.windowOf()
                .map(windowOf -> new WindowRouter(windowOf, new WindowRouter.Writers() {
                    @Override
                    public WindowWriter of(long window) throws IOException {
                        return writerOf(window);
                    }

                    @Override
                    public List<WindowWriter> open() {
                        return open;
                    }
                }));
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
        if (cursor.kind() == FragmentKind.PARTITION_START) {
            moveToDisk(cursor.key().token());
        }
        if (router.isPresent()) {
            router.get().append(cursor);
        } else {
            writerOf(ONLY_WINDOW).writer().appendCurrent(cursor);
        }
        if (cursor.kind() == FragmentKind.PARTITION_END) {
            for (int i = open.size() - 1; i >= 0; i--) {
                if (open.get(i).writer().dataLengthBytes() >= cuts.sizeLimitBytes()) {
                    complete(open.get(i));
                }
            }
        }
    }

    private void moveToDisk(long token) throws IOException {
        List<Long> boundaries = cuts.diskBoundaries();
        while (disk < boundaries.size() && token > boundaries.get(disk)) {
            disk++;
            split();
        }
    }

    /**
     * The SSTable of a window. When no other may be begun, that of the next newer window, else of the newest one: it expires
     * with what is newest in it, so nothing does too early.
     */
    private WindowWriter writerOf(long window) throws IOException {
        int at = 0;
        while (at < open.size() && open.get(at).window() < window) {
            at++;
        }
        if (at < open.size() && open.get(at).window() == window) {
            return open.get(at);
        }
        if (open.size() >= windowsMax) {
            return open.get(Math.min(at, open.size() - 1));
        }
        WindowWriter begun = new WindowWriter(window, target.start(config));
        open.add(at, begun);
        return begun;
    }

    /** Ends the SSTables that are being written: the next partition begins others. */
    public void split() throws IOException {
        while (!open.isEmpty()) {
            complete(open.get(open.size() - 1));
        }
    }

    private void complete(WindowWriter ended) throws IOException {
        long lengthBytes = ended.writer().dataLengthBytes();
        try (FragmentWriter writer = ended.writer()) {
            // Partitions without content are left out, and an SSTable without partitions does not exist.
            if (lengthBytes > 0) {
                completed.add(writer.finish());
                completedBytes += lengthBytes;
            }
        }
        open.remove(ended);
    }

    /** Bytes of uncompressed data so far. */
    public long dataLengthBytes() {
        long lengthBytes = completedBytes;
        for (WindowWriter writer : open) {
            lengthBytes += writer.writer().dataLengthBytes();
        }
        return lengthBytes;
    }

    /** Completes the last SSTables and says which there are: none when there was nothing to write. */
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
            closeOpen();
        } finally {
            if (!finished) {
                for (Descriptor descriptor : completed) {
                    descriptor.delete();
                }
            }
        }
    }

    private void closeOpen() throws IOException {
        IOException failure = null;
        for (WindowWriter writer : open) {
            try {
                writer.writer().close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
