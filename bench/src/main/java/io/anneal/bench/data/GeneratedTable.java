package io.anneal.bench.data;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A drawn table in SSTables, with LZ4 in chunks of 16 KiB, in a temporary directory that closing removes.
 * Safe to share; each cursor belongs to one thread.
 */
public final class GeneratedTable implements Closeable {
    /** Seed of what is measured, so that every run sees the same bytes. */
    public static final long SEED = 42;

    private final TableShape shape;
    private final long rowCount;
    private final long partitionCount;
    private final SSTableVersion version;
    private final TemporaryDirectory directory;
    private final List<SSTableReader> readers = new ArrayList<>();

    private GeneratedTable(
            TableShape shape,
            long rowCount,
            long partitionCount,
            SSTableVersion version,
            TemporaryDirectory directory) {
        this.shape = shape;
        this.rowCount = rowCount;
        this.partitionCount = partitionCount;
        this.version = version;
        this.directory = directory;
    }

    /** As {@link #write(TableShape, long, int, SSTableVersion)}, in the version that is written unless told otherwise. */
    public static GeneratedTable write(TableShape shape, long rowCount, int parts) throws IOException {
        return write(
                shape, rowCount, parts, SSTableWriterConfig.defaults(rowCount).version());
    }

    /** Writes the table into {@code parts} SSTables that overlap as {@link GeneratedCursor#part} says. */
    public static GeneratedTable write(TableShape shape, long rowCount, int parts, SSTableVersion version)
            throws IOException {
        List<Supplier<FragmentCursor>> cursors = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            int part = i;
            cursors.add(() -> GeneratedCursor.part(shape, rowCount, SEED, part, parts));
        }
        return write(shape, rowCount, rowCount / shape.rowsPerPartition(), version, cursors);
    }

    /** Writes the rows of {@code shape} in partitions of another size into one SSTable. */
    public static GeneratedTable writePartitions(
            TableShape shape, long partitionCount, int rowsPerPartition, SSTableVersion version) throws IOException {
        return write(
                shape,
                partitionCount * rowsPerPartition,
                partitionCount,
                version,
                List.of(() -> GeneratedCursor.ofPartitions(shape, partitionCount, rowsPerPartition, SEED)));
    }

    /** Writes one partition of all rows into {@code parts} SSTables that overlap as {@link GeneratedCursor#part} says. */
    public static GeneratedTable writePartition(TableShape shape, int rowCount, int parts, SSTableVersion version)
            throws IOException {
        List<Supplier<FragmentCursor>> cursors = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            int part = i;
            cursors.add(() -> GeneratedCursor.partitionPart(shape, rowCount, SEED, part, parts));
        }
        return write(shape, rowCount, 1, version, cursors);
    }

    // One cursor after the other is made, since each holds all keys.
    private static GeneratedTable write(
            TableShape shape,
            long rowCount,
            long partitionCount,
            SSTableVersion version,
            List<Supplier<FragmentCursor>> cursors)
            throws IOException {
        GeneratedTable table =
                new GeneratedTable(shape, rowCount, partitionCount, version, TemporaryDirectory.create("anneal-bench"));
        try {
            for (Supplier<FragmentCursor> source : cursors) {
                String generation = Integer.toString(table.readers.size() + 1);
                try (FragmentCursor cursor = source.get()) {
                    table.readers.add(Formats.open(table.write(table.directory.path(), generation, cursor)));
                }
            }
        } catch (IOException | RuntimeException e) {
            try (table) {
                throw e;
            }
        }
        return table;
    }

    private Descriptor write(Path target, String generation, FragmentCursor cursor) throws IOException {
        SSTableWriterConfig config =
                SSTableWriterConfig.defaults(partitionCount).withVersion(version);
        try (FragmentWriter writer = Formats.write(target, generation, shape.schema(), config)) {
            writer.append(cursor);
            return writer.finish();
        }
    }

    /** Reads the first SSTable and writes it again, synced; returns the length of what was read. */
    public long copyTo(Path target) throws IOException {
        try (FragmentCursor cursor = scan()) {
            write(target, "1", cursor);
        }
        return readers.get(0).dataLengthBytes();
    }

    public TableShape shape() {
        return shape;
    }

    public long rowCount() {
        return rowCount;
    }

    public TableSchema schema() {
        return shape.schema();
    }

    /** Where there is room for more files, removed with the table. */
    public TemporaryDirectory directory() {
        return directory;
    }

    public List<SSTableReader> readers() {
        return readers;
    }

    /** Length of the data of all SSTables as readers see it, uncompressed. */
    public long dataLengthBytes() {
        return readers.stream().mapToLong(SSTableReader::dataLengthBytes).sum();
    }

    /** Reads the first SSTable as it is stored. */
    public FragmentCursor scan() throws IOException {
        return readers.get(0).scan(schema(), TokenRange.Linear.ALL);
    }

    /** Reads the merge of all SSTables. */
    public FragmentCursor merge() throws IOException {
        List<FragmentCursor> cursors = new ArrayList<>();
        for (SSTableReader reader : readers) {
            cursors.add(reader.scan(schema(), TokenRange.Linear.ALL));
        }
        return MergeCursor.of(schema(), cursors);
    }

    @Override
    public void close() throws IOException {
        for (SSTableReader reader : readers) {
            reader.close();
        }
        directory.close();
    }
}
