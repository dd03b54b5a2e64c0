package io.anneal.bench.data;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.Murmur3;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.LongPredicate;
import java.util.function.LongToIntFunction;
import java.util.stream.LongStream;

/**
 * A cursor over drawn rows, no file behind it. A table may be split into parts that overlap: each row is in one of them,
 * chosen at random, and of every fourth the next part has a later version. Owned by one thread.
 */
public final class GeneratedCursor extends SourceCursor {
    private record Key(long token, long id) {}

    private static final int OVERWRITTEN_ONE_IN = 4;
    private static final int PERCENT = 100;
    private static final int LARGE_PERCENT = 1;
    private static final int MEDIUM_PERCENT = 20;
    private static final int LARGE_ROWS_MAX = 3000;
    private static final int LARGE_ROWS_MIN = 160;
    private static final int MEDIUM_ROWS_MIN = 16;
    private static final LongPredicate ALL = number -> true;

    /** By the partition's number. */
    private final LongToIntFunction rowsOf;

    private final long seed;
    private final int part;
    private final int parts;
    private final LongPredicate wanted;
    private final Key[] keys;
    private final RowMaker maker;
    private final byte[] keyBytes = new byte[Long.BYTES];

    private int next;
    /** Of the current partition. */
    private int rows;

    private int line;

    private GeneratedCursor(
            TableShape shape,
            long partitionCount,
            LongToIntFunction rowsOf,
            long seed,
            int part,
            int parts,
            LongPredicate wanted) {
        super(shape.schema());
        this.rowsOf = rowsOf;
        this.seed = seed;
        this.part = part;
        this.parts = parts;
        this.wanted = wanted;
        maker = new RowMaker(shape, seed);
        keys = LongStream.range(0, partitionCount)
                .filter(this::mayHoldRows)
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
                shape, rowCount / shape.rowsPerPartition(), id -> shape.rowsPerPartition(), seed, part, parts, ALL);
    }

    /** A part, as {@link #part} says, of one partition of all rows. */
    public static GeneratedCursor partitionPart(TableShape shape, int rowCount, long seed, int part, int parts) {
        return new GeneratedCursor(shape, 1, id -> rowCount, seed, part, parts, ALL);
    }

    /**
     * A part, as {@link #part} says, of partitions of very different sizes: of a hundred one is large, 20 are medium, the others
     * are small. Those of rows of about 64 bytes are 10 to 200 KB, 1 to 10 KB and less.
     */
    public static GeneratedCursor mixedPart(TableShape shape, long partitionCount, long seed, int part, int parts) {
        return new GeneratedCursor(shape, partitionCount, id -> mixedRows(seed, id), seed, part, parts, ALL);
    }

    /** How many rows a partition of {@link #mixedPart} has in all parts together. */
    private static int mixedRows(long seed, long id) {
        long choice = RowMaker.mix(seed, id, -1) >>> 1;
        long percent = choice % PERCENT;
        long drawn = choice / PERCENT;
        if (percent < LARGE_PERCENT) {
            return (int) (LARGE_ROWS_MIN + drawn % (LARGE_ROWS_MAX - LARGE_ROWS_MIN));
        }
        return (int)
                (percent < LARGE_PERCENT + MEDIUM_PERCENT
                        ? MEDIUM_ROWS_MIN + drawn % (LARGE_ROWS_MIN - MEDIUM_ROWS_MIN)
                        : 1 + drawn % (MEDIUM_ROWS_MIN - 1));
    }

    /** The rows of {@code shape} in partitions of another size, keys and lines numbered from 0. */
    public static GeneratedCursor ofPartitions(TableShape shape, long partitionCount, int rowsPerPartition, long seed) {
        return ofRows(shape, partitionCount, rowsPerPartition, seed, ALL);
    }

    /** The same, but only the rows of some numbers: the rows of a partition are numbered on from those of the one before. */
    public static GeneratedCursor ofRows(
            TableShape shape, long partitionCount, int rowsPerPartition, long seed, LongPredicate wanted) {
        return new GeneratedCursor(shape, partitionCount, id -> rowsPerPartition, seed, 0, 1, wanted);
    }

    /** Few of many partitions are neither kept nor sorted with all the others. */
    private boolean mayHoldRows(long id) {
        int count = rowsOf.applyAsInt(id);
        long first = id * count;
        for (long number = first; number < first + count; number++) {
            if (wanted.test(number)) {
                return true;
            }
        }
        return false;
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
            rows = rowsOf.applyAsInt(current.id());
            for (line = 0; line < rows; line++) {
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
            return wanted.test(id * rows + line) ? 0 : -1;
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
        for (; line < rows; line++) {
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
            line = rows;
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
