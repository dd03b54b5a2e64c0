package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.repair.message.ReadRate;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Twice as much of what differs costs twice as much, in every shape that replicas are found in. Work is counted in bytes
 * that the repair's thread allocates, which the machine's load does not change: copying a buffer or deriving a list anew
 * for each row shows there as its square.
 */
class RepairCostTest {
    /** Twice, and what lists and buffers round up to. */
    private static final double RATIO_MAX = 2.7;

    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
            .column("c1", CqlTypes.INT, Column.Kind.CLUSTERING)
            .column("c2", CqlTypes.INT, Column.Kind.CLUSTERING)
            .column("m", CqlTypes.map(CqlTypes.INT, CqlTypes.BLOB), Column.Kind.REGULAR)
            .column("v", CqlTypes.BLOB, Column.Kind.REGULAR)
            .options(new TableOptions(10, 0.01, 128, Map.of(), Map.of(), false, Map.of()))
            .build();
    /** Index of {@code m} among the regular columns; simple columns stand before complex ones. */
    private static final int MAP = 1;

    private static final int VALUE = 0;
    private static final DecoratedKey KEY = HandMadeTable.keys(1).get(0);
    private static final long OLD = 5;
    private static final long DELETED = 10;
    private static final long NEW = 20;
    /** Before the purge time of 100 less gc_grace of 10. */
    private static final long PURGEABLE_SECONDS = 50;

    private static final long LIVING_SECONDS = 95;

    @TempDir
    private Path directory;

    private int repairs;

    /** What one replica holds when the other has {@code n} of something. */
    private interface Shape {
        FragmentList of(int n);
    }

    private long workBytes(FragmentList master, FragmentList follower, int bufferBytes) throws IOException {
        repairs++;
        try (StagingArea ownStaging = Sessions.staging(directory.resolve("master-" + repairs));
                StagingArea otherStaging = Sessions.staging(directory.resolve("follower-" + repairs))) {
            TestTable own = new TestTable("master", master, Optional.of(ownStaging));
            TestTable other = new TestTable("follower", follower, Optional.of(otherStaging));
            RepairConfig config = new RepairConfig(
                    new UUID(0, repairs),
                    "ks",
                    "t",
                    List.of(TokenRange.FULL),
                    bufferBytes,
                    100,
                    1,
                    false,
                    false,
                    Optional.empty(),
                    Set.of(Waiver.values()),
                    1,
                    ReadRate.UNLIMITED,
                    Optional.empty(),
                    false);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            try (Participant replica = new LocalParticipant("follower", other.opener(), Runnable::run);
                    RepairMaster repair = new RepairMaster(config, own, List.of(replica), RepairListener.NONE)) {
                repair.run();
            }
            return threads.getCurrentThreadAllocatedBytes() - before;
        }
    }

    private void workShouldDouble(int n, Shape master, Shape follower) throws IOException {
        workShouldDouble(n, master, follower, 32 << 20);
    }

    private void workShouldDouble(int n, Shape master, Shape follower, int bufferBytes) throws IOException {
        workBytes(master.of(n / 10), follower.of(n / 10), bufferBytes);
        long once = workBytes(master.of(n), follower.of(n), bufferBytes);
        long twice = workBytes(master.of(2 * n), follower.of(2 * n), bufferBytes);
        assertThat((double) twice / once)
                .as("bytes allocated for n=%d: %d, for twice as many: %d", n, once, twice)
                .isLessThan(RATIO_MAX);
    }

    private static FragmentList rows(int n, long micros, int valueBytes) {
        FragmentList.Builder builder = FragmentList.builder(SCHEMA).partition(KEY);
        for (int i = 0; i < n; i++) {
            builder.row(row(i, micros, valueBytes));
        }
        return builder.end().build();
    }

    private static Row row(int i, long micros, int valueBytes) {
        return HandMadeTable.row(i, 0).cell(VALUE, micros, new byte[valueBytes]).build();
    }

    private static FragmentList rows(int n) {
        return rows(n, OLD, 10);
    }

    private static FragmentList deletedPartition(long localSeconds) {
        return FragmentList.builder(SCHEMA)
                .partition(KEY, DELETED, localSeconds)
                .end()
                .build();
    }

    private static FragmentList ranges(int n, long localSeconds) {
        return ranges(n, DELETED, localSeconds);
    }

    private static FragmentList ranges(int n, long micros, long localSeconds) {
        FragmentList.Builder builder = FragmentList.builder(SCHEMA).partition(KEY);
        for (int i = 0; i < n; i++) {
            builder.change(HandMadeTable.clustering(i), ClusteringComparator.BEFORE, micros, localSeconds);
            builder.change(
                    HandMadeTable.clustering(i),
                    ClusteringComparator.AFTER,
                    DeletionTime.NO_TIMESTAMP,
                    DeletionTime.NO_DELETION_TIME);
        }
        return builder.end().build();
    }

    private static FragmentList mapRow(int n, long firstMicros) {
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(HandMadeTable.clustering(0, 0));
        for (int i = 0; i < n; i++) {
            byte[] path = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
            row.addCell(MAP, i == 0 ? firstMicros : OLD, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            row.path(path, 0, path.length);
            row.value(new byte[40], 0, 40);
        }
        return FragmentList.builder(SCHEMA)
                .partition(KEY)
                .row(row.toRow())
                .end()
                .build();
    }

    @Test
    void shouldDoubleWhenAllRowsWereOverwritten() throws IOException {
        workShouldDouble(6_000, n -> rows(n, OLD, 1000), n -> rows(n, NEW, 1000), 1 << 20);
    }

    @Test
    void shouldDoubleWhenAllRowsWereOverwrittenWithLargerOnes() throws IOException {
        workShouldDouble(4_000, n -> rows(n, OLD, 10), n -> rows(n, NEW, 1000), 1 << 20);
    }

    @Test
    void shouldDoubleWhenLargeRowsWereOverwritten() throws IOException {
        workShouldDouble(600, n -> rows(n, OLD, 10_000), n -> rows(n, NEW, 10_000), 1 << 20);
    }

    @Test
    void shouldDoubleWhenRowIsMuchWiderThanBuffer() throws IOException {
        workShouldDouble(20_000, n -> mapRow(n, OLD), n -> mapRow(n, OLD), 1 << 16);
    }

    @Test
    void shouldDoubleWhenRowMuchWiderThanBufferDiffers() throws IOException {
        workShouldDouble(20_000, n -> mapRow(n, OLD), n -> mapRow(n, NEW), 1 << 16);
    }

    @Test
    void shouldDoubleWhenGhostOfPartitionShadowsRows() throws IOException {
        workShouldDouble(2_000, RepairCostTest::rows, n -> deletedPartition(PURGEABLE_SECONDS));
        workShouldDouble(2_000, n -> deletedPartition(PURGEABLE_SECONDS), RepairCostTest::rows);
    }

    @Test
    void shouldDoubleWhenGhostOfPartitionShadowsRowsOfManyWindows() throws IOException {
        workShouldDouble(2_000, RepairCostTest::rows, n -> deletedPartition(PURGEABLE_SECONDS), 100_000);
    }

    @Test
    void shouldDoubleWhenGhostsOfRangesShadowRows() throws IOException {
        workShouldDouble(2_000, RepairCostTest::rows, n -> ranges(n, PURGEABLE_SECONDS));
        workShouldDouble(2_000, n -> ranges(n, PURGEABLE_SECONDS), RepairCostTest::rows);
    }

    @Test
    void shouldDoubleWhenGhostsOfRangesShadowRanges() throws IOException {
        Shape weaker = n -> ranges(n, OLD, LIVING_SECONDS);
        workShouldDouble(2_000, weaker, n -> ranges(n, PURGEABLE_SECONDS));
    }

    @Test
    void shouldDoubleWhenRangesDeleteRows() throws IOException {
        workShouldDouble(2_000, RepairCostTest::rows, n -> ranges(n, LIVING_SECONDS));
        workShouldDouble(2_000, n -> ranges(n, LIVING_SECONDS), RepairCostTest::rows);
    }

    @Test
    void shouldDoubleWhenPartitionDeletionDeletesRows() throws IOException {
        workShouldDouble(4_000, RepairCostTest::rows, n -> deletedPartition(LIVING_SECONDS));
    }

    @Test
    void shouldDoubleWhenManyPartitionsWereDeleted() throws IOException {
        Shape deleted = n -> {
            FragmentList.Builder builder = FragmentList.builder(SCHEMA);
            HandMadeTable.keys(n)
                    .forEach(key ->
                            builder.partition(key, DELETED, LIVING_SECONDS).end());
            return builder.build();
        };
        Shape live = n -> {
            FragmentList.Builder builder = FragmentList.builder(SCHEMA);
            HandMadeTable.keys(n)
                    .forEach(key -> builder.partition(key).row(row(1, OLD, 10)).end());
            return builder.build();
        };
        workShouldDouble(2_000, live, deleted);
    }
}
