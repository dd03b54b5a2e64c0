package io.anneal.compaction;

import io.anneal.fragment.DeletionTime;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.DropTimes;
import io.anneal.sstable.EstimatedHistogram;
import io.anneal.sstable.FilterListener;
import io.anneal.sstable.LostData;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.SSTableMetadata.EncodingMinima;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.SSTableMetadata.RepairState;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableStatistics;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** An SSTable without files: what strategies look at. Filled in by chained calls; one mebibyte all over the ring to begin with. */
final class StubSSTable implements SSTableReader {
    static final long MIB = 1 << 20;
    private static final long CELLS = 1000;

    private final String name;
    private int shard;
    private long sizeBytes = MIB;
    private int level;
    private long createdSeconds;
    private long firstToken = Long.MIN_VALUE + 1;
    private long lastToken = Long.MAX_VALUE;
    private long minMicros = 1;
    private long maxMicros = 1;
    private long minLocalDeletionTimeSeconds;
    private long maxLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;
    private long repairedAtMillis;
    private long partitionCount = 100;
    private long droppable;
    private long droppedSeconds = 1;

    private StubSSTable(String name) {
        this.name = name;
    }

    static StubSSTable of(String name) {
        return new StubSSTable(name);
    }

    StubSSTable shard(int number) {
        shard = number;
        return this;
    }

    StubSSTable mib(double size) {
        sizeBytes = (long) (size * MIB);
        return this;
    }

    StubSSTable bytes(long size) {
        sizeBytes = size;
        return this;
    }

    StubSSTable level(int number) {
        level = number;
        return this;
    }

    StubSSTable createdSeconds(long seconds) {
        createdSeconds = seconds;
        return this;
    }

    StubSSTable tokens(long first, long last) {
        firstToken = first;
        lastToken = last;
        return this;
    }

    /** Parts of the ring, of a hundred. */
    StubSSTable percent(int first, int last) {
        return tokens(
                Long.MIN_VALUE + 1 + first * (Long.MAX_VALUE / 50), Long.MIN_VALUE + last * (Long.MAX_VALUE / 50));
    }

    StubSSTable micros(long min, long max) {
        minMicros = min;
        maxMicros = max;
        return this;
    }

    /** As older versions of the format tell an expiry past 2038. */
    StubSSTable overflowedSeconds() {
        minLocalDeletionTimeSeconds = Integer.MIN_VALUE + 1;
        return this;
    }

    StubSSTable deadSeconds(long latest) {
        maxLocalDeletionTimeSeconds = latest;
        return this;
    }

    StubSSTable repaired() {
        repairedAtMillis = 1;
        return this;
    }

    StubSSTable partitions(long count) {
        partitionCount = count;
        return this;
    }

    /** Which part of the cells was deleted at a time. */
    StubSSTable droppable(double ratio, long seconds) {
        droppable = (long) (ratio * CELLS);
        droppedSeconds = seconds;
        return this;
    }

    CompactionCandidate candidate() {
        return new CompactionCandidate(this, shard, sizeBytes, createdSeconds, firstToken, lastToken);
    }

    static List<String> names(List<CompactionCandidate> candidates) {
        return candidates.stream().map(c -> c.reader().toString()).sorted().toList();
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public Descriptor descriptor() {
        return new Descriptor(Path.of("stub"), "nb", name, "big");
    }

    @Override
    public SSTableStatistics statistics() {
        return new SSTableStatistics(
                minMicros,
                maxMicros,
                minLocalDeletionTimeSeconds,
                maxLocalDeletionTimeSeconds,
                0,
                0,
                CELLS,
                CELLS,
                level,
                repairedAtMillis,
                false,
                partitionCount);
    }

    @Override
    public SSTableMetadata metadata() {
        // One cell a partition.
        EstimatedHistogram cells = new EstimatedHistogram(new long[] {1}, new long[] {CELLS, 0});
        DropTimes dropTimes = new DropTimes(new long[] {droppedSeconds}, new long[] {droppable});
        return new SSTableMetadata(
                partitioner(),
                0.01,
                statistics(),
                cells,
                cells,
                dropTimes,
                1,
                Optional.empty(),
                List.of(),
                new RepairState(repairedAtMillis, Optional.empty(), false),
                Optional.empty(),
                true,
                Optional.empty(),
                Double.NaN,
                OptionalLong.empty(),
                new EncodingMinima(0, 0, 0));
    }

    @Override
    public Partitioner partitioner() {
        return Partitioner.MURMUR3;
    }

    @Override
    public long dataLengthBytes() {
        return sizeBytes;
    }

    @Override
    public TableSchema headerSchema() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void listenToFilter(FilterListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<KeyRange> keyRange() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean mayContain(KeyView key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<String> compressor() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SSTableCursor scan(TableSchema schema, TokenRange.Linear range) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SSTableCursor scan(TableSchema schema, TokenRange.Linear range, Optional<DecoratedKey> after) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SSTableCursor scanAsWritten() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<SSTableCursor> read(TableSchema schema, DecoratedKey key, Slices slices, boolean reversed) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SSTableCursor salvage(TableSchema schema, Consumer<LostData> listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isInFormerColumnOrder() {
        return false;
    }

    @Override
    public List<String> verify() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
