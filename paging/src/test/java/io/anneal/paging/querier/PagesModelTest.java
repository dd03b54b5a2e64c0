package io.anneal.paging.querier;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageCursor;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.StopReason;
import io.anneal.schema.TableSchema;
import io.anneal.store.RowBuilder;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random tables, read page by page with random limits: the pages put together are one read without pages. {@code -Danneal.seeds=N} for
 * more, {@code -Danneal.seed=N} for others.
 */
final class PagesModelTest {
    private static final int KEYS = 40;
    private static final int CLUSTERINGS = 6;
    private static final int QUERIES = 12;
    private static final int PAGES_MAX = 20_000;
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .partitionKey("k", "int")
            .clustering("c1", "int")
            .clusteringDescending("c2", "int")
            .staticColumn("s", "text")
            .column("v", "text")
            .column("m", "map<int, int>")
            .build();
    private static final TableSchema FLAT = TableSchema.builder("ks", "flat")
            .partitionKey("k", "int")
            .column("v", "text")
            .build();

    /** Time stands still, so that nothing expires between a page and what it is compared with. */
    private static final HostEnvironment ENVIRONMENT =
            HostEnvironment.system().withClock(InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000)));

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 12));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldGivePagesThatTogetherAreOneRead(long seed) throws IOException {
        Random random = new Random(seed);
        StoreConfig config = StoreConfig.defaults().withShardCount(1 + random.nextInt(4));
        QuerierLimits limits = QuerierLimits.DEFAULT.withReadAheads(random.nextInt(4));
        try (Store store = Store.open(directory, config, ENVIRONMENT);
                Queriers queriers = Queriers.open(limits, ENVIRONMENT)) {
            Table table = store.createTable(random.nextInt(5) == 0 ? FLAT : SCHEMA);
            write(table, random);
            QuerierPages pages = queriers.pages("model", table);
            for (int i = 0; i < QUERIES; i++) {
                check(table, pages, random);
                checkDeletions(table, pages, random);
            }
        }
    }

    /** The place behind a row that is gone is where the range deletion ends that is open there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndEachPageBehindTheOneBefore(boolean reversed) throws IOException {
        try (Store store = Store.open(directory, StoreConfig.defaults(), ENVIRONMENT);
                Queriers queriers = Queriers.open(QuerierLimits.DEFAULT, ENVIRONMENT)) {
            Table table = store.createTable(SCHEMA);
            table.rangeDeletion()
                    .key("k", 1)
                    .from("c1", 0, true)
                    .to("c1", 2, true)
                    .timestampMicros(1)
                    .delete();
            table.row()
                    .key("k", 1)
                    .clustering("c1", 1)
                    .clustering("c2", 1)
                    .timestampMicros(2)
                    .deleteRow();
            Clustering row = Clustering.of(bytes(1), bytes(1));
            Slices slices = Slices.of(ClusteringComparator.of(SCHEMA), List.of(Slice.between(row, true, row, true)));
            ReadQuery query = ReadQuery.ofPartitions(List.of(DecoratedKey.of(bytes(1))), slices, reversed);
            QuerierPages pages = queriers.pages("model", table);
            UUID id = new UUID(0, 1);
            PageLimits limits = PageLimits.DEFAULT.withTombstones(1);
            Optional<RingPosition> place = Optional.empty();
            do {
                Page page = pages.read(new PageRequest(id, query, place, limits, 0, true));
                if (page.last().isPresent()) {
                    requireProgress(query, SCHEMA, place, page.last().get());
                }
                place = page.last();
            } while (place.isPresent());
        }
    }

    private static void write(Table table, Random random) throws IOException {
        boolean isFlat = table.schema().clustering().isEmpty();
        int count = 50 + random.nextInt(600);
        // Some tables have values of which shards are read ahead.
        int padding = random.nextInt(4) == 0 ? 1_500 : 0;
        for (int i = 0; i < count; i++) {
            int key = random.nextInt(KEYS);
            String value = "v" + "x".repeat(padding + random.nextInt(20));
            int what = random.nextInt(20);
            if (isFlat) {
                if (what == 0) {
                    table.row().key("k", key).deletePartition();
                } else {
                    table.row().key("k", key).set("v", value).insert();
                }
            } else if (what < 12) {
                row(table, random, key).set("v", value).insert();
            } else if (what == 12) {
                row(table, random, key)
                        .set("v", value)
                        .ttlSeconds(1 + random.nextInt(2) * 100_000)
                        .insert();
            } else if (what == 13) {
                table.row().key("k", key).set("s", value).update();
            } else if (what == 14) {
                table.row().key("k", key).delete("s").update();
            } else if (what < 17) {
                row(table, random, key).deleteRow();
            } else if (what == 17) {
                int from = random.nextInt(CLUSTERINGS);
                table.rangeDeletion()
                        .key("k", key)
                        .from("c1", from, random.nextBoolean())
                        .to("c1", from + 1 + random.nextInt(2), random.nextBoolean())
                        .delete();
            } else if (what == 18) {
                table.rangeDeletion()
                        .key("k", key)
                        .clustering("c1", random.nextInt(CLUSTERINGS))
                        .delete();
            } else if (random.nextInt(3) == 0) {
                table.row().key("k", key).deletePartition();
            }
            if (random.nextInt(100) == 0) {
                table.flush();
            }
        }
    }

    private static RowBuilder row(Table table, Random random, int key) {
        return table.row()
                .key("k", key)
                .clustering("c1", random.nextInt(CLUSTERINGS))
                .clustering("c2", random.nextInt(CLUSTERINGS));
    }

    private static void check(Table table, QuerierPages pages, Random random) throws IOException {
        ReadQuery query = random.nextBoolean() ? ranges(random) : partitions(table.schema(), random);
        long nowSeconds = ENVIRONMENT.clock().instant().getEpochSecond() + 50;
        PageLimits limits = limits(random);
        boolean isStateful = random.nextInt(4) > 0;
        int evictions = random.nextInt(3);
        UUID id = new UUID(random.nextLong(), random.nextLong());
        List<String> found = new ArrayList<>();
        Optional<RingPosition> place = Optional.empty();
        for (int i = 0; ; i++) {
            Page page = pages.read(new PageRequest(id, query, place, limits, nowSeconds, isStateful));
            found.addAll(PageRows.of(page));
            assertThat(page.rowCount()).isLessThanOrEqualTo(limits.rows());
            assertThat(PageRows.of(page)).hasSize(page.rowCount());
            if (page.stopReason() == StopReason.EXHAUSTED) {
                break;
            }
            requireProgress(query, table.schema(), place, page.last().orElseThrow());
            place = page.last();
            assertThat(i).isLessThan(PAGES_MAX);
            if (evictions > 0 && random.nextInt(evictions + 1) == 0) {
                int evicted = random.nextInt(4);
                pages.evict(querier -> querier.key().shard() == evicted);
            }
        }
        requireSame(found, PageRows.of(table, query, nowSeconds), query + ", " + limits + ", stateful=" + isStateful);
    }

    /** Who reads from a replica takes a page that ends where it began for a lie. */
    private static void requireProgress(
            ReadQuery query, TableSchema schema, Optional<RingPosition> before, RingPosition after) {
        if (before.isEmpty() || !before.get().key().equals(after.key())) {
            return;
        }
        PositionInPartition left = before.get().position();
        PositionInPartition right = after.position();
        boolean isTurned = query.reversed()
                && left.region() == PositionInPartition.Region.CLUSTERED
                && right.region() == PositionInPartition.Region.CLUSTERED;
        int order = left.compareTo(right, ClusteringComparator.of(schema));
        assertThat(isTurned ? -order : order)
                .as("%s: from %s to %s", query, before.get(), after)
                .isNegative();
    }

    /** Tells where they begin to differ. */
    private static void requireSame(List<String> found, List<String> wanted, String what) {
        int same = 0;
        while (same < Math.min(found.size(), wanted.size()) && found.get(same).equals(wanted.get(same))) {
            same++;
        }
        assertThat(found.subList(same, Math.min(found.size(), same + 3)))
                .as("from %s of %s on, %s", same, wanted.size(), what)
                .isEqualTo(wanted.subList(same, Math.min(wanted.size(), same + 3)));
    }

    /** Everything that there is of ranges in token order, or of one partition, tombstones too: the pages are merged. */
    private static void checkDeletions(Table table, QuerierPages pages, Random random) throws IOException {
        ReadQuery query =
                (random.nextBoolean() ? rangesInTokenOrder(random) : partition(table.schema(), random)).deletionsToo();
        PageLimits limits = limits(random);
        boolean isStateful = random.nextInt(4) > 0;
        List<FragmentCursor> read = new ArrayList<>();
        Optional<RingPosition> place = Optional.empty();
        UUID id = new UUID(random.nextLong(), random.nextLong());
        do {
            Page page = pages.read(new PageRequest(id, query, place, limits, 0, isStateful));
            assertThat(page.rowCount()).isLessThanOrEqualTo(limits.rows());
            read.add(PageCursor.of(page, query.reversed()));
            if (page.last().isPresent()) {
                requireProgress(query, table.schema(), place, page.last().get());
            }
            place = page.last();
            assertThat(read).hasSizeLessThan(PAGES_MAX);
        } while (place.isPresent());
        List<FragmentCursor> wanted = new ArrayList<>();
        for (TokenRange.Linear range : query.ranges()) {
            wanted.add(table.scan(range));
        }
        for (DecoratedKey key : query.keys()) {
            wanted.add(table.read(key, query.slices(), query.reversed()));
        }
        requireSame(
                lines(table.schema(), read, query.reversed()),
                lines(table.schema(), wanted, query.reversed()),
                query + ", " + limits + ", stateful=" + isStateful);
    }

    private static List<String> lines(TableSchema schema, List<FragmentCursor> cursors, boolean reversed)
            throws IOException {
        try (MergeCursor merged =
                reversed ? MergeCursor.ofReversed(schema, cursors) : MergeCursor.of(schema, cursors)) {
            return FragmentList.copyOf(merged).lines();
        }
    }

    static PageLimits limits(Random random) {
        PageLimits limits = PageLimits.DEFAULT.withRows(1 + random.nextInt(random.nextBoolean() ? 5 : 200));
        if (random.nextInt(3) == 0) {
            limits = limits.withBytes(1 + random.nextInt(2000));
        }
        return random.nextInt(3) == 0 ? limits.withTombstones(1 + random.nextInt(10)) : limits;
    }

    static ReadQuery ranges(Random random) {
        if (random.nextBoolean()) {
            return ReadQuery.ofRanges(List.of(TokenRange.FULL));
        }
        // Disjoint ones, in the order of the ring from anywhere on.
        long[] ends =
                random.longs(2L + 2 * random.nextInt(4)).sorted().distinct().toArray();
        List<TokenRange> ranges = new ArrayList<>();
        int first = random.nextInt(ends.length);
        for (int i = 0; i < ends.length; i++) {
            if (random.nextInt(3) > 0 || ranges.isEmpty()) {
                ranges.add(new TokenRange(ends[(first + i) % ends.length], ends[(first + i + 1) % ends.length]));
            }
        }
        return ReadQuery.ofRanges(ranges);
    }

    private static ReadQuery rangesInTokenOrder(Random random) {
        long[] ends =
                random.longs(2L + 2 * random.nextInt(4)).sorted().distinct().toArray();
        List<TokenRange> ranges = new ArrayList<>();
        for (int i = 1; i < ends.length; i++) {
            if (random.nextInt(3) > 0 || ranges.isEmpty()) {
                ranges.add(new TokenRange(ends[i - 1], ends[i]));
            }
        }
        return ReadQuery.ofRanges(ranges);
    }

    private static ReadQuery partition(TableSchema schema, Random random) {
        ReadQuery some = partitions(schema, random);
        return ReadQuery.ofPartitions(some.keys().subList(0, 1), some.slices(), some.reversed());
    }

    static ReadQuery partitions(TableSchema schema, Random random) {
        List<DecoratedKey> keys = IntStream.range(0, 1 + random.nextInt(6))
                .mapToObj(i -> DecoratedKey.of(bytes(random.nextInt(KEYS))))
                .toList();
        if (schema.clustering().isEmpty()) {
            return ReadQuery.ofPartitions(keys, Slices.ALL, random.nextBoolean());
        }
        Slices slices = Slices.ALL;
        if (random.nextBoolean()) {
            List<Slice> some = IntStream.range(0, 1 + random.nextInt(3))
                    .mapToObj(i -> slice(random))
                    .toList();
            slices = Slices.of(ClusteringComparator.of(schema), some);
        }
        return ReadQuery.ofPartitions(keys, slices, random.nextBoolean());
    }

    private static Slice slice(Random random) {
        return Slice.between(prefix(random), random.nextBoolean(), prefix(random), random.nextBoolean());
    }

    private static Clustering prefix(Random random) {
        byte[] c1 = bytes(random.nextInt(CLUSTERINGS));
        return random.nextBoolean() ? Clustering.of(c1) : Clustering.of(c1, bytes(random.nextInt(CLUSTERINGS)));
    }

    private static byte[] bytes(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }
}
