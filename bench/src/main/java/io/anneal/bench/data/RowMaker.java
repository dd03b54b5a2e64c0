package io.anneal.bench.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Fills rows in with values that depend on the seed, the row's place and its version alone. Bytes are in a buffer that
 * the next row uses again. Owned by one thread.
 */
final class RowMaker {
    static final int BLOB_BYTES = 1000;
    static final int SHORT_BLOB_BYTES = 220;

    /** Random and repeated bytes take turns in runs of this length, as in records whose field names repeat. */
    private static final int RUN_BYTES = 50;

    private static final long FIRST_WRITE_MICROS = 1_750_000_000_000_000L;
    private static final long WRITES_SPREAD_MICROS = 86_400_000_000L;
    private static final byte[][] WORDS = words(
            "amber", "birch", "cobalt", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper", "kestrel",
            "lagoon", "marble", "nectar", "onyx", "pepper");
    private static final byte[] REPEATED =
            "{\"customer\":\"standard\",\"currency\":\"EUR\",\"state\":\"open\"}".getBytes(StandardCharsets.US_ASCII);

    private final TableShape shape;
    private final long seed;
    private final ByteWriter bytes = new ByteWriter(2048);
    private final int[] columns;

    RowMaker(TableShape shape, long seed) {
        this.shape = shape;
        this.seed = seed;
        columns = shape.schema().regularColumns().stream()
                .mapToInt(column -> column.index())
                .toArray();
    }

    private static byte[][] words(String... words) {
        byte[][] encoded = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            encoded[i] = words[i].getBytes(StandardCharsets.US_ASCII);
        }
        return encoded;
    }

    /** A well mixed number for a place, of which choices are made. */
    static long mix(long seed, long partition, int line) {
        long mixed = (seed ^ partition * 0x9E3779B97F4A7C15L ^ line * 0xD6E8FEB86659FD93L) * 0xBF58476D1CE4E5B9L;
        mixed ^= mixed >>> 31;
        mixed *= 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 29;
    }

    /** @param version of several versions of a row the larger was written later */
    void fill(Row row, long partition, int line, int version) {
        SplittableRandom random = new SplittableRandom(mix(seed + version, partition, line));
        long micros = FIRST_WRITE_MICROS + version * WRITES_SPREAD_MICROS + random.nextLong(WRITES_SPREAD_MICROS);
        bytes.clear();
        bytes.ensure(BLOB_BYTES + 2 * RUN_BYTES);
        row.clear(false);
        row.liveness(micros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        if (shape != TableShape.SMALL_ROWS) {
            int lengthBytes = shape == TableShape.SHORT_ROWS ? SHORT_BLOB_BYTES : BLOB_BYTES;
            if (shape == TableShape.RANDOM_ROWS) {
                randomBlob(random, lengthBytes);
            } else {
                blob(random, lengthBytes);
            }
            cell(row, columns[0], micros, lengthBytes);
            return;
        }
        row.clustering().reset(bytes.array());
        bytes.writeInt(line);
        row.clustering().add(0, Integer.BYTES);
        bytes.writeLong(random.nextLong(1_000_000_000L));
        cell(row, columns[0], micros, Long.BYTES);
        cell(row, columns[1], micros, words(random, 2));
        cell(row, columns[2], micros, words(random, 1));
        bytes.writeInt(random.nextInt(1000));
        cell(row, columns[3], micros, Integer.BYTES);
        bytes.writeLong(Double.doubleToRawLongBits(random.nextDouble()));
        cell(row, columns[4], micros, Double.BYTES);
    }

    private void blob(SplittableRandom random, int lengthBytes) {
        int start = bytes.lengthBytes();
        while (bytes.lengthBytes() - start < lengthBytes) {
            int end = bytes.lengthBytes() + RUN_BYTES;
            while (bytes.lengthBytes() < end) {
                bytes.writeLong(random.nextLong());
            }
            bytes.truncate(end);
            bytes.writeBytes(REPEATED, 0, RUN_BYTES);
        }
        bytes.truncate(start + lengthBytes);
    }

    private void randomBlob(SplittableRandom random, int lengthBytes) {
        int start = bytes.lengthBytes();
        for (int i = 0; i < lengthBytes; i += Long.BYTES) {
            bytes.writeLong(random.nextLong());
        }
        bytes.truncate(start + lengthBytes);
    }

    private int words(SplittableRandom random, int count) {
        int start = bytes.lengthBytes();
        for (int i = 0; i < count; i++) {
            bytes.writeBytes(WORDS[random.nextInt(WORDS.length)]);
        }
        return bytes.lengthBytes() - start;
    }

    /** Adds a cell whose value was written last. */
    private void cell(Row row, int column, long micros, int lengthBytes) {
        row.addCell(column, micros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(bytes.array(), bytes.lengthBytes() - lengthBytes, lengthBytes);
    }
}
