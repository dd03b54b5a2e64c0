package io.anneal.bench.scenario;

import io.anneal.repair.RepairConfig;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.store.SSTableWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Two replicas in which something that a repair works at is large; its cost should double with its size. */
enum RepairShape {
    /** One side has newer values in all rows, of 1 KB. */
    ALL_ROWS_OVERWRITTEN(100_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            rows(behind, ahead, size, 1, values, 1_000);
        }
    },
    /** One side has newer values in a hundred rows. */
    FEW_ROWS_DIFFER(100_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            rows(behind, ahead, size, Math.max(1, size / 100), values, 1_000);
        }
    },
    /** One side has newer values in all rows, of 10 KB. */
    LARGE_ROWS_OVERWRITTEN(20_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            rows(behind, ahead, size, 1, values, 10_000);
        }
    },
    /** One row of many cells, the same on both sides. */
    WIDE_ROW_EQUAL(40_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            wideRow(behind, ahead, size, values);
        }
    },
    /** One row of very many cells, which differ in one. */
    HUGE_ROW(650_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            wideRow(behind, ahead, size, values);
            ahead.row()
                    .key("pk", 0)
                    .clustering("ck", 0)
                    .add("m", Map.of(size / 2, values.next(CELL_BYTES)))
                    .timestampMicros(NEW_MICROS)
                    .update();
        }
    },
    /** One side has a deletion of a partition, older than gc_grace, the other the rows that it deletes. */
    GHOST_PARTITION_DELETION(16_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            ahead.row().key("pk", 0).timestampMicros(GHOST_MICROS).deletePartition();
            for (int ck = 0; ck < size; ck++) {
                insert(behind, 0, ck, values.next(SMALL_BYTES), GHOST_MICROS - 1);
            }
        }
    },
    /** One side has deletions of many ranges in a partition, the other rows in them. */
    RANGE_TOMBSTONES(4_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            ranges(behind, ahead, size, values, NEW_MICROS);
        }
    },
    /** The same, older than gc_grace. */
    GHOST_RANGE_TOMBSTONES(4_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            ranges(behind, ahead, size, values, GHOST_MICROS);
        }
    },
    /** One side has deletions of many partitions, the other a row in each. */
    MANY_PARTITION_DELETIONS(20_000) {
        @Override
        void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException {
            for (int pk = 0; pk < size; pk++) {
                ahead.row().key("pk", pk).timestampMicros(NEW_MICROS).deletePartition();
                insert(behind, pk, 0, values.next(SMALL_BYTES), OLD_MICROS);
            }
        }
    };

    static final String KEYSPACE = "bench";
    static final String TABLE = "shape";
    /** When all of this happens, in seconds since 1970. */
    static final long NOW_SECONDS = 1_795_000_000L;
    /** Of {@link #ALL_ROWS_OVERWRITTEN}; {@link BenchConfig#rowCount} scales all shapes in proportion to it. */
    static final int ROWS = 100_000;

    private static final String SCHEMA = "CREATE TABLE " + KEYSPACE + "." + TABLE
            + " (pk int, ck int, v blob, m map<int, blob>, PRIMARY KEY (pk, ck)) WITH gc_grace_seconds = 864000";
    private static final long OLD_MICROS = TimeUnit.SECONDS.toMicros(NOW_SECONDS - 2_000);
    private static final long NEW_MICROS = TimeUnit.SECONDS.toMicros(NOW_SECONDS - 1_000);
    private static final long GHOST_MICROS = TimeUnit.SECONDS.toMicros(NOW_SECONDS - 10_000_000);
    private static final int ROWS_PER_PARTITION = 100;
    private static final int CELL_BYTES = 16;
    private static final int CELLS_PER_WRITE = 1_000;
    private static final int SMALL_BYTES = 20;
    private static final int RANGE_STEP = 10;
    private static final long WRITER_MEMORY_BYTES = 64L << 20;

    private final int size;

    RepairShape(int size) {
        this.size = size;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Rows, cells or deletions, where {@link #ALL_ROWS_OVERWRITTEN} has so many rows. */
    int size(int rowCount) {
        return (int) Math.max(1, (long) size * rowCount / ROWS);
    }

    /** Small where one row should be more than it holds, else what {@code anneal repair} gives two replicas. */
    int bufferBytes() {
        return this == WIDE_ROW_EQUAL || this == HUGE_ROW
                ? RepairConfig.BUFFER_MIN_BYTES
                : RepairConfig.BUFFER_MAX_BYTES;
    }

    abstract void write(SSTableWriter behind, SSTableWriter ahead, int size, Values values) throws IOException;

    /** Writes both replicas as directories of SSTables, with their schema. */
    final void write(Path behind, Path ahead, int wantedSize) throws IOException {
        TableSchema schema = CqlSchema.parse(SCHEMA, "schema of shapes")
                .table(KEYSPACE, TABLE)
                .orElseThrow();
        try (SSTableWriter old = writer(schema, behind);
                SSTableWriter young = writer(schema, ahead)) {
            write(old, young, wantedSize, new Values());
            old.finish();
            young.finish();
        }
        for (Path directory : new Path[] {behind, ahead}) {
            Files.writeString(directory.resolve(KEYSPACE).resolve(TABLE).resolve("schema.cql"), SCHEMA);
        }
    }

    private static SSTableWriter writer(TableSchema schema, Path directory) throws IOException {
        return SSTableWriter.builder(schema).to(directory).unsorted(WRITER_MEMORY_BYTES);
    }

    /** Values that do not compress. */
    static final class Values {
        private final SplittableRandom random = new SplittableRandom(1);

        ByteBuffer next(int lengthBytes) {
            byte[] bytes = new byte[lengthBytes];
            random.nextBytes(bytes);
            return ByteBuffer.wrap(bytes);
        }
    }

    private static void insert(SSTableWriter writer, int pk, int ck, ByteBuffer value, long micros) throws IOException {
        writer.row()
                .key("pk", pk)
                .clustering("ck", ck)
                .set("v", value)
                .timestampMicros(micros)
                .insert();
    }

    /** Each row in both, and every so many newer in one. */
    private static void rows(
            SSTableWriter behind, SSTableWriter ahead, int count, int newerEach, Values values, int valueBytes)
            throws IOException {
        for (int i = 0; i < count; i++) {
            int pk = i / ROWS_PER_PARTITION;
            int ck = i % ROWS_PER_PARTITION;
            ByteBuffer value = values.next(valueBytes);
            insert(behind, pk, ck, value, OLD_MICROS);
            boolean isNewer = i % newerEach == 0;
            insert(ahead, pk, ck, isNewer ? values.next(valueBytes) : value, isNewer ? NEW_MICROS : OLD_MICROS);
        }
    }

    private static void wideRow(SSTableWriter behind, SSTableWriter ahead, int cells, Values values)
            throws IOException {
        for (int first = 0; first < cells; first += CELLS_PER_WRITE) {
            Map<Integer, ByteBuffer> some = new LinkedHashMap<>();
            for (int cell = first; cell < Math.min(cells, first + CELLS_PER_WRITE); cell++) {
                some.put(cell, values.next(CELL_BYTES));
            }
            for (SSTableWriter writer : new SSTableWriter[] {behind, ahead}) {
                writer.row()
                        .key("pk", 0)
                        .clustering("ck", 0)
                        .add("m", some)
                        .timestampMicros(OLD_MICROS)
                        .update();
            }
        }
    }

    private static void ranges(SSTableWriter behind, SSTableWriter ahead, int count, Values values, long deletedMicros)
            throws IOException {
        for (int i = 0; i < count; i++) {
            int start = i * RANGE_STEP;
            ahead.rangeDeletion()
                    .key("pk", 0)
                    .from("ck", start, true)
                    .to("ck", start + RANGE_STEP / 2, true)
                    .timestampMicros(deletedMicros)
                    .delete();
            insert(behind, 0, start + 1, values.next(SMALL_BYTES), deletedMicros - 1);
        }
    }
}
