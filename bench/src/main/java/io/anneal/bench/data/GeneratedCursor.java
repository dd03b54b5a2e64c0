package io.anneal.bench.data;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.Murmur3;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * A cursor over drawn rows, no file behind it. A table may be split into parts that overlap: each row is in one of them,
 * chosen at random, and of every fourth the next part has a later version. Owned by one thread.
 */
public final class GeneratedCursor extends SourceCursor {
    private record Key(long token, long id) {}

    private static final int OVERWRITTEN_ONE_IN = 4;
    private static final LongPredicate ALL = number -> true;

    private final int rowsPerPartition;
    private final long seed;
    private final int part;
    private final int parts;
    private final LongPredicate wanted;
    private final Key[] keys;
    private final RowMaker maker;
    private final byte[] keyBytes = new byte[Long.BYTES];

    private int next;
    private int line;

    private GeneratedCursor(
            TableShape shape,
            long partitionCount,
            int rowsPerPartition,
            long seed,
            int part,
            int parts,
            LongPredicate wanted) {
        super(shape.schema());
        this.rowsPerPartition = rowsPerPartition;
        this.seed = seed;
        this.part = part;
        this.parts = parts;
        this.wanted = wanted;
        maker = new RowMaker(shape, seed);
        keys = LongStream.range(0, partitionCount)
                .mapToObj(GeneratedCursor::key)
                .toArray(Key[]::new);
        Arrays.sort(keys, Comparator.comparingLong(Key::token));
    }

    /** The whole table. {@code rowCount} is rounded down to whole partitions. */
    public static GeneratedCursor of(TableShape shape, long rowCount, long seed) {
        return part(shape, rowCount, seed, 0, 1);
    }

    /** Part {@code part} of {@code parts}; all together hold each row of {@link #of} and later versions of some. */
    public static GeneratedCursor part(TableShape shape, long rowCount, long seed, int part, int parts) {
        return new GeneratedCursor(
                shape, rowCount / shape.rowsPerPartition(), shape.rowsPerPartition(), seed, part, parts, ALL);
    }

    /** The rows of {@code shape} in partitions of another size, keys and lines numbered from 0. */
    public static GeneratedCursor ofPartitions(TableShape shape, long partitionCount, int rowsPerPartition, long seed) {
        return ofRows(shape, partitionCount, rowsPerPartition, seed, ALL);
    }

    /** The same, but only the rows of some numbers: the rows of a partition are numbered on from those of the one before. */
    public static GeneratedCursor ofRows(
            TableShape shape, long partitionCount, int rowsPerPartition, long seed, LongPredicate wanted) {
        return new GeneratedCursor(shape, partitionCount, rowsPerPartition, seed, 0, 1, wanted);
    }

    private static Key key(long id) {
        byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(id).array();
        return new Key(Murmur3.token(bytes, 0, bytes.length), id);
    }

    @Override
    public FragmentKind advance() {
        row = Row.recycle(row);
        if (kind == null || kind == FragmentKind.PARTITION_END) {
            kind = startPartition();
        } else {
            kind = fillNextRow() ? FragmentKind.CLUSTERING_ROW : FragmentKind.PARTITION_END;
        }
        return kind;
    }

    private FragmentKind startPartition() {
        while (next < keys.length) {
            Key current = keys[next++];
            for (line = 0; line < rowsPerPartition; line++) {
                if (version(current.id()) >= 0) {
                    ByteBuffer.wrap(keyBytes).putLong(current.id());
                    key.wrap(current.token(), keyBytes, 0, keyBytes.length);
                    return FragmentKind.PARTITION_START;
                }
            }
        }
        return null;
    }

    /** Version of the row at the current line that this part holds, -1 for none. */
    private int version(long id) {
        if (parts == 1) {
            return wanted.test(id * rowsPerPartition + line) ? 0 : -1;
        }
        long choice = RowMaker.mix(seed, id, line) >>> 1;
        int owner = (int) (choice % parts);
        if (owner == part) {
            return 0;
        }
        boolean overwritten = choice / parts % OVERWRITTEN_ONE_IN == 0;
        return overwritten && (owner + 1) % parts == part ? 1 : -1;
    }

    private boolean fillNextRow() {
        long id = keys[next - 1].id();
        for (; line < rowsPerPartition; line++) {
            int version = version(id);
            if (version >= 0) {
                maker.fill(row, id, line, version);
                line++;
                return true;
            }
        }
        return false;
    }

    @Override
    public void nextPartition() {
        if (kind != null) {
            line = rowsPerPartition;
            kind = FragmentKind.PARTITION_END;
        }
    }

    @Override
    public void forwardTo(long token) {
        if (kind != null && kind != FragmentKind.PARTITION_END && key.token() < token) {
            nextPartition();
        }
        while (next < keys.length && keys[next].token() < token) {
            next++;
        }
    }

    @Override
    public void close() {
        next = keys.length;
        kind = null;
    }
}
