package io.anneal.store;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.MutationValidator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.StagingDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Writes SSTables from rows: for those who have rows, by column name and Java value. Goes to {@code
 * <directory>/<keyspace>/<table>/}, from where {@code nodetool import} or {@code sstableloader} takes it. An SSTable appears
 * whole or not at all; nothing remains of a writer that is closed without {@link #finish()}. What the format cannot hold is
 * refused by the write itself, with an {@link IllegalArgumentException}, and the writer goes on. Any number of writers may run at
 * once, of any tables; each belongs to one thread. Those that share a directory share its {@link StagingDirectory}.
 *
 * <pre>{@code
 * try (SSTableWriter writer = SSTableWriter.builder(schema).to(directory).format(SSTableVersion.NB).unsorted(64 << 20)) {
 *     writer.row().key("id", 7).set("name", "x").timestampMicros(micros).insert();
 *     writer.finish();
 * }
 * }</pre>
 */
public final class SSTableWriter implements Closeable {
    private final TableSchema schema;
    private final MutationValidator validator;
    private final OptionalLong timestampMicros;
    private final WriteSink sink;
    private final StagingDirectory owned;
    private final Target target = new Target();
    private boolean failed;
    private boolean finished;
    private boolean closed;

    private SSTableWriter(
            TableSchema schema,
            MutationValidator validator,
            OptionalLong timestampMicros,
            WriteSink sink,
            StagingDirectory owned) {
        this.schema = schema;
        this.validator = validator;
        this.timestampMicros = timestampMicros;
        this.sink = sink;
        this.owned = owned;
    }

    public static Builder builder(TableSchema schema) {
        Objects.requireNonNull(schema, "schema");
        return new Builder(schema);
    }

    public TableSchema schema() {
        return schema;
    }

    /** Begins a write to a row. */
    public RowBuilder row() {
        requireUsable();
        return new RowBuilder(schema, target);
    }

    /** Begins the deletion of a range of rows. */
    public RangeDeletionBuilder rangeDeletion() {
        requireUsable();
        return new RangeDeletionBuilder(schema, target);
    }

    /** Inserts a row: values of all kinds of columns by name. */
    public void insert(Map<String, ?> values, long micros) throws IOException {
        Objects.requireNonNull(values, "values");
        row().timestampMicros(micros).setAll(values).insert();
    }

    /** What this writer is for the builders of its writes. */
    private final class Target implements WriteTarget {
        private long elementNumber;

        @Override
        public void add(DecoratedKey partition, List<Write> writes) throws IOException {
            requireUsable();
            for (Write write : writes) {
                requireHeld(write);
            }
            boolean added = false;
            try {
                for (Write write : writes) {
                    sink.add(write);
                }
                added = true;
            } finally {
                failed |= !added;
            }
        }

        private void requireHeld(Write write) {
            try {
                switch (write.kind()) {
                    case PARTITION_DELETION -> validator.validate(write.deletion());
                    case STATIC_ROW, CLUSTERING_ROW -> validator.validate(write.row());
                    case RANGE_DELETION -> validator.validate(write.range());
                }
            } catch (CorruptItemException e) {
                throw new IllegalArgumentException(
                        "write does not fit the table, table=" + schema.qualifiedName() + ", reason=" + e.reason(), e);
            }
        }

        @Override
        public long timestampMicros() {
            return timestampMicros.orElseThrow(() -> new IllegalStateException(
                    "write has no timestamp: give timestampMicros to it or to the writer's builder"));
        }

        @Override
        public long localTimeSeconds(long micros) {
            return Math.max(0, TimeUnit.MICROSECONDS.toSeconds(micros));
        }

        @Override
        public long nextElementNumber() {
            return elementNumber++;
        }

        @Override
        public Optional<DecoratedKey> usualPartition() {
            return Optional.empty();
        }

        @Override
        public void requireSettable(Column column) {
            // SSTables are written with counters' shares, which whoever writes them knows.
        }

        @Override
        public List<ListElement> listElements(DecoratedKey key, Slices slices, Column column) {
            throw new UnsupportedOperationException(
                    "elements of a list are found by reading the row, which a writer of SSTables cannot: set the whole list,"
                            + " table=" + schema.qualifiedName() + ", column=" + column.name());
        }
    }

    private void requireUsable() {
        if (failed || finished || closed) {
            throw new IllegalStateException("writer takes nothing any more, table=" + schema.qualifiedName()
                    + ", failed=" + failed + ", finished=" + finished + ", closed=" + closed);
        }
    }

    /** Completes everything and says which SSTables there are: none when nothing was written. */
    public List<Descriptor> finish() throws IOException {
        requireUsable();
        failed = true;
        List<Descriptor> written = sink.finish();
        failed = false;
        finished = true;
        return written;
    }

    /** Releases everything; removes all that was written when {@link #finish()} was not reached. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            sink.close();
        } finally {
            if (owned != null) {
                owned.close();
            }
        }
    }

    /** How and where to write; ends with {@link #sorted()} or {@link #unsorted(long)}. One thread. */
    public static final class Builder {
        /** What unsorted writing needs at least to be of use. */
        public static final long MEMORY_MIN_BYTES = 64 * 1024;

        private static final long EXPECTED_PARTITIONS_DEFAULT = 1_000_000;

        private final TableSchema schema;
        private Path directory;
        private StagingDirectory shared;
        private SSTableVersion format = SSTableVersion.NB;
        private EncodingBase base = EncodingBase.EPOCH;
        private Compression compression;
        private int columnIndexSizeBytes = SSTableWriterConfig.COLUMN_INDEX_SIZE_OF_FORMAT;
        private long expectedPartitions = EXPECTED_PARTITIONS_DEFAULT;
        private long sizeLimitBytes = Long.MAX_VALUE;
        private int level;
        private long repairedAtMillis;
        private OptionalLong timestampMicros = OptionalLong.empty();

        private Builder(TableSchema schema) {
            this.schema = schema;
            compression = Compression.of(schema.options());
        }

        /** Writes below this directory, which this writer alone uses until it is closed; it is made if need be. */
        public Builder to(Path target) {
            directory = Objects.requireNonNull(target, "target");
            shared = null;
            return this;
        }

        /** Writes below a directory that others write to as well; the caller closes it behind its writers. */
        public Builder to(StagingDirectory target) {
            shared = Objects.requireNonNull(target, "target");
            directory = null;
            return this;
        }

        /** {@link SSTableVersion#NB} unless told. */
        public Builder format(SSTableVersion version) {
            format = Objects.requireNonNull(version, "version");
            return this;
        }

        /**
         * What a sorted writer counts times from: as small as the smallest that come makes the shortest files. An unsorted
         * writer finds it out.
         */
        public Builder encodingBase(EncodingBase smallest) {
            base = Objects.requireNonNull(smallest, "smallest");
            return this;
        }

        /** What the schema asks for unless told, which is LZ4 in chunks of 16 KiB when it says nothing. */
        public Builder compression(Compression algorithm) {
            compression = Objects.requireNonNull(algorithm, "algorithm");
            return this;
        }

        /** Partitions larger than this get an index of their rows; what is usual in the format unless told. */
        public Builder columnIndexSizeBytes(int sizeBytes) {
            columnIndexSizeBytes = sizeBytes;
            return this;
        }

        /**
         * For the size of the bloom filter of a sorted writer, which may be a guess too high; the filter's chance of false
         * positives is the table's. An unsorted writer counts.
         */
        public Builder expectedPartitions(long count) {
            expectedPartitions = count;
            return this;
        }

        /** A sorted writer begins a new SSTable behind a partition that passes this; unlimited unless told. */
        public Builder sizeLimitBytes(long lengthBytes) {
            sizeLimitBytes = lengthBytes;
            return this;
        }

        /** Of levelled compaction; 0 unless told. */
        public Builder level(int compactionLevel) {
            level = compactionLevel;
            return this;
        }

        /** When incremental repair has seen the data; 0, never, unless told. */
        public Builder repairedAtMillis(long millis) {
            repairedAtMillis = millis;
            return this;
        }

        /** The timestamp of writes that have none of their own. */
        public Builder timestampMicros(long micros) {
            timestampMicros = OptionalLong.of(micros);
            return this;
        }

        /**
         * Writes as it is told, holding one row: writes come by token (of the partition key), then by clustering, a
         * partition's deletion before its rows and a range's deletion at its start. Several writes to one row may follow one
         * another.
         */
        public SSTableWriter sorted() throws IOException {
            return open(
                    format.validator(schema, base),
                    staging -> new SortedSink(
                            schema,
                            new StagedWriter(staging.target(schema), config(expectedPartitions), sizeLimitBytes)));
        }

        /**
         * Takes writes in any order, sorts them in memory, and writes an SSTable for each time the memory is full. Writes to
         * one row that meet in memory are merged.
         *
         * @param memoryBytes what is held at most, but for one write larger than that
         */
        public SSTableWriter unsorted(long memoryBytes) throws IOException {
            if (memoryBytes < MEMORY_MIN_BYTES) {
                throw new IllegalArgumentException("memory is too little to sort in, memoryBytes=" + memoryBytes
                        + ", minBytes=" + MEMORY_MIN_BYTES);
            }
            return open(
                    format.validator(schema),
                    staging -> new MemtableSink(
                            schema,
                            (partitions, smallest) -> new StagedWriter(
                                    staging.target(schema), config(partitions).withBase(smallest), Long.MAX_VALUE),
                            memoryBytes));
        }

        private SSTableWriterConfig config(long partitions) {
            return SSTableWriterConfig.defaults(partitions)
                    .withVersion(format)
                    .withBase(base)
                    .withCompression(compression)
                    .withColumnIndexSizeBytes(columnIndexSizeBytes)
                    .withLevel(level)
                    .withRepairedAtMillis(repairedAtMillis);
        }

        private interface SinkOpener {
            WriteSink open(StagingDirectory staging);
        }

        private SSTableWriter open(MutationValidator validator, SinkOpener opener) throws IOException {
            if (directory == null && shared == null) {
                throw new IllegalStateException("writer has no directory to write to, table=" + schema.qualifiedName());
            }
            StagingDirectory owned = shared == null ? StagingDirectory.open(directory) : null;
            boolean opened = false;
            try {
                WriteSink sink = opener.open(shared == null ? owned : shared);
                SSTableWriter writer = new SSTableWriter(schema, validator, timestampMicros, sink, owned);
                opened = true;
                return writer;
            } finally {
                if (!opened && owned != null) {
                    owned.close();
                }
            }
        }
    }
}
