package io.anneal.cli.demo;

import io.anneal.cli.command.Progress;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.StagingDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * The demo's table and its three replicas: SSTables as a node of Cassandra would have them. All hold the same rows but
 * for about one in a thousand: some a replica never got, some it got in a newer version, some it deleted. Decided by one
 * seed.
 */
final class DemoData {
    static final String KEYSPACE = "demo";
    static final String TABLE = "readings";
    private static final String SCHEMA_TEXT = """
            CREATE TABLE demo.readings (
                sensor bigint PRIMARY KEY,
                place text,
                value double,
                raw blob
            ) WITH gc_grace_seconds = 864000;
            """;
    private static final long WRITTEN_MICROS = 1_750_000_000_000_000L;
    private static final int RAW_BYTES = 1_000;
    /** One row in so many differs between the replicas. */
    private static final int DIFFERENCE_EVERY = 1_000;

    private static final int ROWS_PER_UPDATE = 1_000;

    private final TableSchema schema =
            CqlSchema.parse(SCHEMA_TEXT, "demo schema").table(KEYSPACE, TABLE).orElseThrow();
    private final List<DecoratedKey> keys = new ArrayList<>();
    private final long seed;
    private final long nowSeconds;
    private long rowsWritten;

    DemoData(int rows, long seed, long nowSeconds) {
        this.seed = seed;
        this.nowSeconds = nowSeconds;
        for (long sensor = 0; sensor < rows; sensor++) {
            keys.add(DecoratedKey.of(
                    ByteBuffer.allocate(Long.BYTES).putLong(sensor).array()));
        }
        Collections.sort(keys);
    }

    TableSchema schema() {
        return schema;
    }

    /** The bytes of values in all replicas together, but for the few that they lack. */
    long valueBytes(int replicas) {
        return (long) replicas * keys.size() * RAW_BYTES;
    }

    /** Writes one replica's files below {@code directory}, as {@code demo/readings/nb-1-big-Data.db} and so on. */
    void write(Path directory, int replica, Progress progress) throws IOException {
        try (StagingDirectory staging = StagingDirectory.open(directory)) {
            write(staging, key -> !isMissing(key, replica), (key, row) -> {
                fill(key, row, 0);
                if (++rowsWritten % ROWS_PER_UPDATE == 0) {
                    progress.update(rowsWritten * RAW_BYTES, rowsWritten);
                }
                return DeletionTime.LIVE;
            });
            write(staging, key -> isChanged(key, replica) || isDeleted(key, replica), (key, row) -> {
                if (isDeleted(key, replica)) {
                    return new DeletionTime(WRITTEN_MICROS + 2, nowSeconds);
                }
                fill(key, row, 1);
                return DeletionTime.LIVE;
            });
            Files.writeString(staging.tableDirectory(schema).resolve("schema.cql"), SCHEMA_TEXT);
        }
    }

    private void write(StagingDirectory staging, Predicate<DecoratedKey> wanted, DemoCursor.Source source)
            throws IOException {
        Iterator<DecoratedKey> selected = keys.stream().filter(wanted).iterator();
        try (StagedWriter writer = new StagedWriter(
                        staging.target(schema),
                        SSTableWriterConfig.defaults(keys.size()),
                        StagedWriter.SIZE_LIMIT_DEFAULT_BYTES);
                FragmentCursor cursor = new DemoCursor(schema, selected, source)) {
            writer.append(cursor);
            writer.finish();
        }
    }

    /** A number that only the row and the seed decide. */
    private long draw(DecoratedKey key) {
        return new SplittableRandom(seed ^ key.token()).nextLong() >>> 1;
    }

    private boolean differsAs(DecoratedKey key, int kind, int replica) {
        long number = draw(key);
        return number % DIFFERENCE_EVERY == 0 && number / DIFFERENCE_EVERY % 9 == kind * 3L + replica;
    }

    private boolean isMissing(DecoratedKey key, int replica) {
        return differsAs(key, 0, replica);
    }

    private boolean isChanged(DecoratedKey key, int replica) {
        return differsAs(key, 1, replica);
    }

    private boolean isDeleted(DecoratedKey key, int replica) {
        return differsAs(key, 2, replica);
    }

    private void fill(DecoratedKey key, Row row, int version) {
        SplittableRandom random = new SplittableRandom(draw(key) + version);
        long timestampMicros = WRITTEN_MICROS + version;
        row.liveness(timestampMicros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        byte[] place =
                String.format(Locale.ROOT, "hall %d", random.nextInt(100)).getBytes(StandardCharsets.UTF_8);
        byte[] raw = new byte[RAW_BYTES];
        random.nextBytes(raw);
        byte[] value =
                ByteBuffer.allocate(Double.BYTES).putDouble(random.nextDouble()).array();
        add(row, "place", place, timestampMicros);
        add(row, "raw", raw, timestampMicros);
        add(row, "value", value, timestampMicros);
    }

    /** Columns are added in canonical order, which here is that of their names. */
    private void add(Row row, String column, byte[] value, long timestampMicros) {
        row.addCell(
                schema.column(column).orElseThrow().index(),
                timestampMicros,
                Row.NO_TTL,
                DeletionTime.NO_DELETION_TIME);
        row.value(value, 0, value.length);
    }
}
