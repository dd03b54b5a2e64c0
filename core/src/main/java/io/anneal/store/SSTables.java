package io.anneal.store;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Partitioner;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.HeaderSchemas;
import io.anneal.store.directory.TableSource;
import io.anneal.table.ReadCursor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The SSTables of one table, open for reading, as a single stream. Immutable and safe to share; each cursor belongs to
 * one thread and is closed before this is.
 */
public final class SSTables implements RowSource, Closeable {
    private final TableSchema schema;
    private final boolean hasSchemaText;
    private final List<SSTableReader> readers;
    private volatile boolean closed;

    private SSTables(TableSchema schema, boolean hasSchemaText, List<SSTableReader> readers) {
        this.schema = schema;
        this.hasSchemaText = hasSchemaText;
        this.readers = List.copyOf(readers);
    }

    /**
     * Opens components or directories of one table, described by the schema text beside them or by their own headers.
     *
     * @see TableSource#of(List, Optional)
     */
    public static SSTables open(Path... files) throws IOException {
        Objects.requireNonNull(files, "files");
        return open(TableSource.of(List.of(files), Optional.empty()));
    }

    /** Opens SSTables of a table, wherever they lie, or none. */
    public static SSTables open(TableSchema schema, List<Descriptor> descriptors) throws IOException {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(descriptors, "descriptors");
        List<SSTableReader> readers = new ArrayList<>();
        try {
            for (Descriptor descriptor : descriptors) {
                readers.add(Formats.open(descriptor));
            }
            requireOnePartitioner(readers);
            return new SSTables(schema, true, readers);
        } catch (IOException | RuntimeException e) {
            closeAll(readers, e);
            throw e;
        }
    }

    /**
     * Opens all SSTables of a source, or none: when one fails, those already open are closed.
     *
     * @throws io.anneal.schema.SchemaException when there is no schema text and the headers contradict each other, or when
     *     partitions are ordered by different partitioners
     */
    public static SSTables open(TableSource source) throws IOException {
        Objects.requireNonNull(source, "source");
        List<SSTableReader> readers = new ArrayList<>();
        try {
            for (Descriptor descriptor : source.descriptors()) {
                readers.add(Formats.open(descriptor));
            }
            requireOnePartitioner(readers);
            TableSchema schema = source.schemaText().isPresent()
                    ? source.schemaText().get()
                    : HeaderSchemas.union(source.directories(), readers);
            return new SSTables(schema, source.schemaText().isPresent(), readers);
        } catch (IOException | RuntimeException e) {
            closeAll(readers, e);
            throw e;
        }
    }

    private static void requireOnePartitioner(List<SSTableReader> readers) throws IOException {
        for (SSTableReader reader : readers) {
            SSTableReader first = readers.get(0);
            reader.requireTable();
            if (reader.partitioner() != first.partitioner()) {
                throw new SchemaException("SSTables have different partitioners, partitioner="
                        + first.partitioner().className() + ", sstable=" + first.descriptor() + ", other="
                        + reader.partitioner().className() + ", sstable=" + reader.descriptor());
            }
        }
    }

    /** What orders the partitions; only {@link Partitioner#MURMUR3} has token ranges, and so repair. */
    public Partitioner partitioner() {
        return readers.isEmpty() ? Partitioner.MURMUR3 : readers.get(0).partitioner();
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    /**
     * Whether the schema comes from text. If not it was made up from the SSTables' headers: no key names, gc_grace or
     * drop times, which is enough to dump and verify, and never to repair.
     */
    public boolean hasSchemaText() {
        return hasSchemaText;
    }

    public List<SSTableReader> readers() {
        return readers;
    }

    /**
     * Opens their files as they are.
     *
     * @param wanted by first and last token; what does not tell them is wanted in any case
     * @throws java.nio.file.NoSuchFileException when one was deleted since these SSTables were opened: open them again
     */
    public LiveFiles liveFiles(Predicate<TokenRange.Linear> wanted) throws IOException {
        Objects.requireNonNull(wanted, "wanted");
        return LiveFiles.of(schema, readers, wanted, Optional.empty(), () -> {});
    }

    /** Data of all SSTables as readers see it, uncompressed. */
    public long dataLengthBytes() {
        return readers.stream().mapToLong(SSTableReader::dataLengthBytes).sum();
    }

    /** Partitions of all SSTables, one in several of them counted several times. */
    public long estimatedPartitionCount() {
        return readers.stream()
                .mapToLong(r -> r.statistics().estimatedPartitionCount())
                .sum();
    }

    /** The version to write for a node with these SSTables: what they show that it loads; one that shows none may be of 4.0. */
    public SSTableVersion newestWrittenVersion() {
        return readers.stream()
                .flatMap(reader -> SSTableVersion.of(reader.descriptor()).stream())
                .filter(SSTableVersion::isWritten)
                .max(Comparator.naturalOrder())
                .orElse(SSTableVersion.NB);
    }

    /**
     * The merge of all SSTables in a range: normalised, nothing purged. With assertions on, a validator reads along.
     *
     * @throws io.anneal.sstable.CorruptSSTableException when an SSTable does not fit the schema
     */
    @Override
    public FragmentCursor scan(TokenRange.Linear range) throws IOException {
        Objects.requireNonNull(range, "range");
        return scan(range, CanonicalEncoder.UNCLAMPED);
    }

    /**
     * The same with local deletion times clamped, as a comparison with another store needs it.
     *
     * @param localDeletionTimeMaxSeconds rule 13's ceiling
     */
    @Override
    public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
        Objects.requireNonNull(range, "range");
        List<FragmentCursor> cursors = new ArrayList<>(readers.size());
        try {
            for (SSTableReader reader : readers) {
                cursors.add(reader.scan(schema, range));
            }
            return checked(MergeCursor.of(schema, cursors, localDeletionTimeMaxSeconds));
        } catch (IOException | RuntimeException e) {
            closeAll(cursors, e);
            throw e;
        }
    }

    /** One shard: the files are not divided. */
    @Override
    public ShardRule shards() {
        return new ShardRule(1, 0);
    }

    /** {@inheritDoc} What a directory holds does not change while it is open. */
    @Override
    public ReadCursor scan(int shard, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(after, "after");
        if (shard != 0) {
            throw new IllegalArgumentException("a directory is one shard, shard=" + shard);
        }
        List<FragmentCursor> cursors = new ArrayList<>(readers.size());
        try {
            for (SSTableReader reader : readers) {
                cursors.add(reader.scan(schema, range, after));
            }
            return new OpenCursor(checked(MergeCursor.of(schema, cursors)));
        } catch (IOException | RuntimeException e) {
            closeAll(cursors, e);
            throw e;
        }
    }

    /**
     * The rows in a range that exist at {@code now}, with values as Java objects: for those who want values, not speed.
     *
     * @param now decides what has expired
     */
    public TableRows rows(TokenRange range, Instant now) {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(now, "now");
        return new RowReads(this).rows(range, now.getEpochSecond());
    }

    /**
     * The rows of one partition that exist at {@code now}.
     *
     * @param rows which of them
     * @param keyValues of the partition key, in the order of its columns
     * @throws IllegalArgumentException when values do not fit the key or the clustering: names the column
     */
    public TableRows partition(RowRange rows, Instant now, Object... keyValues) {
        Objects.requireNonNull(rows, "rows");
        Objects.requireNonNull(now, "now");
        Objects.requireNonNull(keyValues, "keyValues");
        return new RowReads(this).partition(rows, now.getEpochSecond(), keyValues);
    }

    /**
     * The row of a primary key, if it exists at {@code now}; for a partition key without clustering the partition's static
     * values.
     *
     * @param primaryKey values by column name
     * @throws IllegalArgumentException when a column is no part of the key, or its value does not fit: names it
     * @throws IllegalStateException when a part of the key is missing: names it
     */
    public Optional<TableRow> row(Map<String, ?> primaryKey, Instant now) throws IOException {
        Objects.requireNonNull(primaryKey, "primaryKey");
        Objects.requireNonNull(now, "now");
        return new RowReads(this).row(primaryKey, now.getEpochSecond());
    }

    /**
     * The merge of what all SSTables have of one partition: normalised, nothing purged. Yields nothing when none has the key.
     *
     * @param slices which rows; partition deletion and static row are there in any case
     * @param reversed whether rows come against clustering order
     * @throws io.anneal.sstable.CorruptSSTableException when an SSTable does not fit the schema, or its index is wrong
     */
    @Override
    public ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(slices, "slices");
        List<FragmentCursor> cursors = new ArrayList<>(readers.size());
        try {
            for (SSTableReader reader : readers) {
                reader.read(schema, key, slices, reversed).ifPresent(cursors::add);
            }
        } catch (IOException | RuntimeException e) {
            closeAll(cursors, e);
            throw e;
        }
        if (!reversed) {
            return new OpenCursor(checked(MergeCursor.of(schema, cursors)));
        }
        MergeCursor merged = MergeCursor.ofReversed(schema, cursors);
        return new OpenCursor(
                SSTables.class.desiredAssertionStatus() ? FragmentStreamValidator.ofReversed(merged) : merged);
    }

    private static FragmentCursor checked(FragmentCursor merged) {
        return SSTables.class.desiredAssertionStatus() ? FragmentStreamValidator.of(merged) : merged;
    }

    /** Keeps nothing alone: the files are open as long as these SSTables are. */
    private final class OpenCursor extends ForwardingCursor implements ReadCursor {
        private volatile boolean isClosed;

        private OpenCursor(FragmentCursor inner) {
            super(inner);
        }

        @Override
        public boolean isCurrent() {
            return !isClosed && !closed;
        }

        @Override
        public long obsoleteBytes() {
            return 0;
        }

        @Override
        public void close() throws IOException {
            isClosed = true;
            super.close();
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        IOException failure = new IOException("SSTables could not be closed");
        closeAll(readers, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private static void closeAll(List<? extends Closeable> opened, Exception failure) {
        for (Closeable closeable : opened) {
            try {
                closeable.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
