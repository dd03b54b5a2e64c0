package io.anneal.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.compaction.CompactionTask.Reason;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.Row;
import io.anneal.io.RateLimiter;
import io.anneal.io.StorageException;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.ShardRule;
import io.anneal.merge.Purged;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.merge.TinyTable;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableTarget;
import io.anneal.sstable.SSTableWriterConfig;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A failure of a random test names its seed; {@code -Danneal.seed=N} starts from another. */
class CompactionTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 1);
    private static final SSTableWriterConfig CONFIG = SSTableWriterConfig.defaults(100);
    private static final ShardRule ONE_SHARD = new ShardRule(1, 0);
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .column("k", CqlTypes.INT, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.INT, Column.Kind.CLUSTERING)
            .column("v", CqlTypes.BLOB, Column.Kind.REGULAR)
            .build();

    @TempDir
    private Path directory;

    private CompactionFiles files;

    @BeforeEach
    void setUp() {
        files = new CompactionFiles(directory, SCHEMA);
    }

    @AfterEach
    void tearDown() throws IOException {
        files.close();
    }

    private static CompactionPurge purge(long nowSeconds) {
        return new CompactionPurge(PurgeMode.GC_GRACE, 0, nowSeconds, RepairTimes.NONE, Overlaps.NONE);
    }

    private static RateLimiter unlimited() {
        return new RateLimiter(RateLimiter.UNLIMITED, () -> 0, nanos -> {});
    }

    private static CompactionContext context(TableSchema schema, SSTableTarget target, ShardRule shards) {
        return new CompactionContext(schema, CONFIG, target, shards, purge(0), unlimited());
    }

    private static byte[] bytes(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    /** Every {@code step}-th key from {@code first} on, with rows of 100 bytes that tell who wrote them. */
    private static List<MemoryPartition> partitions(int first, int step, int count, int rowCount, long micros) {
        TreeMap<DecoratedKey, MemoryPartition> partitions = new TreeMap<>();
        for (int k = first; k < first + step * count; k += step) {
            List<Object> rows = new ArrayList<>();
            for (int c = 0; c < rowCount; c++) {
                Row row = new Row();
                row.clear(false);
                row.clustering().wrap(Clustering.of(bytes(c)));
                row.liveness(micros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
                byte[] value = new byte[100];
                new Random(k * 31L + c + micros).nextBytes(value);
                row.addCell(0, micros, value, 0, value.length);
                rows.add(row);
            }
            DecoratedKey key = DecoratedKey.of(bytes(k));
            partitions.put(key, new MemoryPartition(key, DeletionTime.LIVE, null, rows));
        }
        return List.copyOf(partitions.values());
    }

    private CompactionCandidate sstable(int first, int step, int count, int shard) throws IOException {
        return files.write(partitions(first, step, count, 3, first + 1), CONFIG, shard);
    }

    @Test
    void shouldHoldTheMergeOfItsInputsPurged() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 60; seed++) {
            Random random = new Random(seed);
            TinyTable table = new TinyTable(seed, false);
            Path place = Files.createDirectory(directory.resolve("seed" + seed));
            long nowSeconds = 98 + random.nextInt(8);
            try (CompactionFiles tiny = new CompactionFiles(place, TinyTable.SCHEMA)) {
                List<CompactionCandidate> inputs = new ArrayList<>();
                for (int i = 1 + random.nextInt(4); i > 0; i--) {
                    List<MemoryPartition> drawn = table.draw();
                    if (drawn.stream()
                            .anyMatch(p ->
                                    !p.deletion().isLive() || !p.clustered().isEmpty())) {
                        inputs.add(tiny.write(drawn, CONFIG, 0));
                    }
                }
                if (inputs.isEmpty()) {
                    continue;
                }
                CompactionContext context = new CompactionContext(
                        TinyTable.SCHEMA, CONFIG, tiny.target(), ONE_SHARD, purge(nowSeconds), unlimited());
                CompactionResult result = new Compaction(CompactionTask.of(inputs, Reason.STRATEGY), context).run();
                SessionPurgeRule view = new SessionPurgeRule(nowSeconds, 0);
                SessionPurgeRule unpurged = new SessionPurgeRule(0, 0);
                List<CompactionCandidate> outputs = tiny.open(result.outputs());
                assertThat(tiny.content(outputs, unpurged)).as("seed=%d", seed).isEqualTo(tiny.content(inputs, view));
                assertThat(outputs).hasSizeLessThanOrEqualTo(1);
            }
        }
    }

    @Test
    void shouldEndOutputsAtTheSizeLimitAndKeepLevelAndRepairTime() throws IOException {
        SSTableWriterConfig repaired = CONFIG.withRepairedAtMillis(7000);
        List<CompactionCandidate> inputs = List.of(
                files.write(partitions(0, 2, 200, 3, 1), repaired, 2),
                files.write(partitions(1, 2, 200, 3, 2), CONFIG.withRepairedAtMillis(5000), 2));
        long limitBytes = inputs.get(0).onDiskBytes() / 4;
        CompactionTask task = new CompactionTask(inputs, 3, limitBytes, 1, Reason.STRATEGY);
        CompactionResult result = new Compaction(task, context(SCHEMA, files.target(), ONE_SHARD)).run();

        List<CompactionCandidate> outputs = files.open(result.outputs());
        assertThat(outputs).hasSizeBetween(5, 12).allSatisfy(output -> {
            assertThat(output.level()).isEqualTo(3);
            assertThat(output.shard()).isEqualTo(2);
            assertThat(output.statistics().repairedAtMillis()).isEqualTo(5000);
            assertThat(output.onDiskBytes()).isLessThan(3 * limitBytes);
        });
        for (int i = 1; i < outputs.size(); i++) {
            assertThat(outputs.get(i).overlaps(outputs.get(i - 1))).isFalse();
        }
        SessionPurgeRule unpurged = new SessionPurgeRule(0, 0);
        assertThat(files.content(outputs, unpurged)).isEqualTo(files.content(inputs, unpurged));
        assertThat(result.partitionCount()).isEqualTo(400);
        assertThat(result.rowCount()).isEqualTo(1200);
        assertThat(result.purged()).isEqualTo(Purged.NOTHING);
        assertThat(result.readBytes()).isEqualTo(dataBytes(inputs));
        assertThat(result.writtenBytes()).isEqualTo(dataBytes(outputs));
    }

    private static long dataBytes(List<CompactionCandidate> candidates) {
        return candidates.stream().mapToLong(c -> c.reader().dataLengthBytes()).sum();
    }

    @Test
    void shouldGivePartitionsOfSharedInputsToTheirShards() throws IOException {
        List<CompactionCandidate> inputs =
                List.of(sstable(0, 2, 200, CompactionCandidate.SHARED), sstable(1, 2, 200, CompactionCandidate.SHARED));
        ShardRule shards = new ShardRule(3, 4);
        CompactionResult result = new Compaction(
                        CompactionTask.of(inputs, Reason.RESHARD), context(SCHEMA, files.target(), shards))
                .run();
        assertThat(result.outputs()).extracting(CompactionResult.Output::shard).containsExactly(0, 1, 2);
        List<CompactionCandidate> outputs = files.open(result.outputs());
        SessionPurgeRule unpurged = new SessionPurgeRule(0, 0);
        assertThat(files.content(outputs, unpurged)).isEqualTo(files.content(inputs, unpurged));
        for (CompactionCandidate output : outputs) {
            assertThat(files.content(List.of(output), unpurged))
                    .filteredOn(line -> line.startsWith("partition"))
                    .allSatisfy(line -> assertThat(shards.shardOf(Long.parseLong(line.split("[ :]")[1])))
                            .isEqualTo(output.shard()));
        }
    }

    @Test
    void shouldEndOutputsAtTheEndsOfPartsOfTheRing() throws IOException {
        List<CompactionCandidate> inputs = List.of(sstable(0, 1, 100, 0), sstable(50, 1, 100, 0));
        CompactionTask task = new CompactionTask(inputs, 0, CompactionTask.UNLIMITED, 4, Reason.STRATEGY);
        CompactionResult result = new Compaction(task, context(SCHEMA, files.target(), ONE_SHARD)).run();
        List<CompactionCandidate> outputs = files.open(result.outputs());
        assertThat(outputs).hasSize(4);
        for (int part = 0; part < 4; part++) {
            long first = Long.MIN_VALUE + part * (1L << 62);
            assertThat(outputs.get(part).firstToken()).isGreaterThanOrEqualTo(first);
            assertThat(outputs.get(part).lastToken()).isLessThanOrEqualTo(first + (1L << 62) - 1);
        }
    }

    @Test
    void shouldRewriteNothingWhenAllHasExpired() throws IOException {
        List<CompactionCandidate> inputs = List.of(sstable(0, 1, 5, 0));
        int before = files.files().size();
        CompactionResult result = new Compaction(
                        CompactionTask.of(inputs, Reason.DROP_EXPIRED), context(SCHEMA, files.target(), ONE_SHARD))
                .run();
        assertThat(result.outputs()).isEmpty();
        assertThat(files.files()).hasSize(before);
    }

    @Test
    void shouldLeaveNothingWhenCancelled() throws IOException {
        List<CompactionCandidate> inputs = List.of(sstable(0, 2, 200, 0), sstable(1, 2, 200, 0));
        List<Path> before = files.files();
        Compaction[] compaction = new Compaction[1];
        SSTableTarget cancelling = config -> {
            if (files.files().size() > before.size() + 10) {
                compaction[0].cancel();
            }
            return files.target().start(config);
        };
        CompactionTask task = new CompactionTask(inputs, 0, inputs.get(0).onDiskBytes() / 20, 1, Reason.STRATEGY);
        compaction[0] = new Compaction(task, context(SCHEMA, cancelling, ONE_SHARD));
        assertThatThrownBy(compaction[0]::run)
                .isInstanceOf(CompactionCancelledException.class)
                .hasMessageContaining("inputs=2");
        assertThat(files.files()).isEqualTo(before);
        assertThat(compaction[0].progress().readBytes()).isBetween(1L, dataBytes(inputs) - 1);
        assertThatThrownBy(compaction[0]::run).isInstanceOf(IllegalStateException.class);
    }

    /** A writer that fails when it is finished, or when it is given a partition's last fragment. */
    private record FailingWriter(FragmentWriter inner, boolean atEnd) implements FragmentWriter {
        @Override
        public void append(FragmentCursor cursor) throws IOException {
            inner.append(cursor);
        }

        @Override
        public void appendCurrent(FragmentCursor cursor) throws IOException {
            if (!atEnd) {
                throw new StorageException("write", Path.of("full"), new IOException("no space"));
            }
            inner.appendCurrent(cursor);
        }

        @Override
        public long dataLengthBytes() {
            return inner.dataLengthBytes();
        }

        @Override
        public Descriptor finish() throws IOException {
            throw new StorageException("sync", Path.of("full"), new IOException("no space"));
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }
    }

    @Test
    void shouldLeaveNothingWhenTheTargetFails() throws IOException {
        List<CompactionCandidate> inputs =
                List.of(sstable(0, 2, 200, CompactionCandidate.SHARED), sstable(1, 2, 200, CompactionCandidate.SHARED));
        List<Path> before = files.files();
        for (boolean atEnd : new boolean[] {true, false}) {
            for (int failing = 1; failing <= 3; failing++) {
                int[] left = {failing};
                SSTableTarget target = config -> {
                    FragmentWriter writer = files.target().start(config);
                    return --left[0] == 0 ? new FailingWriter(writer, atEnd) : writer;
                };
                CompactionTask task = CompactionTask.of(inputs, Reason.RESHARD);
                Compaction compaction = new Compaction(task, context(SCHEMA, target, new ShardRule(3, 0)));
                assertThatThrownBy(compaction::run)
                        .isInstanceOf(StorageException.class)
                        .hasMessageContaining("full");
                assertThat(files.files()).isEqualTo(before);
            }
        }
    }

    @Test
    void shouldReadNoFasterThanTheLimiterAllows() throws IOException {
        List<CompactionCandidate> inputs = List.of(sstable(0, 2, 500, 0), sstable(1, 2, 500, 0));
        AtomicLong nanos = new AtomicLong();
        RateLimiter limiter = new RateLimiter(10_000, nanos::get, nanos::addAndGet);
        CompactionContext context = new CompactionContext(SCHEMA, CONFIG, files.target(), ONE_SHARD, purge(0), limiter);
        CompactionTask task = CompactionTask.of(inputs, Reason.STRATEGY);
        new Compaction(task, context).run();
        double seconds = nanos.get() / 1e9;
        assertThat(seconds).isBetween(task.onDiskBytes() / 10_000.0 * 0.8, task.onDiskBytes() / 10_000.0 * 1.05);
    }

    /** A rate may hold it for longer than anybody waits who closes a store or drops a table. */
    @Test
    @Timeout(60)
    void shouldStopAtOnceWhenCancelledWhileItWaits() throws IOException {
        List<CompactionCandidate> inputs = List.of(sstable(0, 2, 500, 0), sstable(1, 2, 500, 0));
        List<Path> before = files.files();
        Compaction[] compaction = new Compaction[1];
        RateLimiter limiter = new RateLimiter(1, () -> 0, nanos -> {
            compaction[0].cancel();
            new CountDownLatch(1).await();
        });
        CompactionContext context = new CompactionContext(SCHEMA, CONFIG, files.target(), ONE_SHARD, purge(0), limiter);
        compaction[0] = new Compaction(CompactionTask.of(inputs, Reason.STRATEGY), context);
        assertThatThrownBy(compaction[0]::run).isInstanceOf(CompactionCancelledException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(files.files()).isEqualTo(before);
    }

    @Test
    void shouldStopWhenInterruptedWhileItWaits() throws IOException {
        List<CompactionCandidate> inputs = List.of(sstable(0, 2, 500, 0), sstable(1, 2, 500, 0));
        List<Path> before = files.files();
        RateLimiter limiter = new RateLimiter(1, () -> 0, nanos -> {
            throw new InterruptedException();
        });
        CompactionContext context = new CompactionContext(SCHEMA, CONFIG, files.target(), ONE_SHARD, purge(0), limiter);
        Compaction compaction = new Compaction(CompactionTask.of(inputs, Reason.STRATEGY), context);
        boolean interrupted;
        try {
            assertThatThrownBy(compaction::run).isInstanceOf(InterruptedIOException.class);
        } finally {
            interrupted = Thread.interrupted();
        }
        assertThat(interrupted).isTrue();
        assertThat(files.files()).isEqualTo(before);
    }

    @Test
    void shouldRefuseInputsThatDoNotBelongTogether() throws IOException {
        CompactionCandidate unrepaired = sstable(0, 1, 5, 0);
        CompactionCandidate repaired = files.write(partitions(0, 1, 5, 1, 1), CONFIG.withRepairedAtMillis(1), 0);
        CompactionCandidate otherShard = sstable(0, 1, 5, 1);
        for (CompactionCandidate other : List.of(repaired, otherShard)) {
            assertThatThrownBy(() -> CompactionTask.of(List.of(unrepaired, other), Reason.STRATEGY))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("do not belong together");
        }
    }
}
