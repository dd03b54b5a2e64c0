package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.StreamText;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.key.SameTokenKeys;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.sstable.SSTableVersion;
import io.anneal.table.ReadCursor;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads that stop and go on. A failure names its seed; {@code -Danneal.seed=N} takes another. */
final class ShardReadsTest {
    private static final long SEED = Long.getLong("anneal.seed", 18);
    private static final int WIDE_ROWS = 80;
    private static final DecoratedKey WIDE = DecoratedKey.of(new byte[] {1, 2, 3});

    @TempDir
    private Path directory;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private Store store;
    private Table table;

    @AfterEach
    void closeStore() throws IOException {
        if (store != null) {
            store.close();
        }
    }

    private void open(int shardCount, SSTableVersion version) throws IOException {
        store = Store.open(
                directory,
                StoreConfig.defaults()
                        .withShardCount(shardCount)
                        .withVersion(version)
                        .withCompactionThreads(0));
        table = store.findTable("ks.t")
                .orElseGet(() ->
                        create("CREATE TABLE ks.t (k blob, c int, v blob, w int, s int static, PRIMARY KEY (k, c))"
                                + " WITH compression = {'enabled': 'false'}"));
    }

    private Table create(String cql) {
        try {
            return store.createTable(cql);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static ByteBuffer value(DecoratedKey key) {
        return ByteBuffer.wrap(key.bytes());
    }

    private RowBuilder row(DecoratedKey key) {
        return table.row().key("k", value(key));
    }

    private void write(DecoratedKey key, int rowsMax, int valueBytes) throws IOException {
        switch (random.nextInt(12)) {
            case 0 -> row(key).set("s", random.nextInt()).update();
            case 1 -> row(key).clustering("c", random.nextInt(rowsMax)).deleteRow();
            case 2 -> {
                int from = random.nextInt(rowsMax);
                table.rangeDeletion()
                        .key("k", value(key))
                        .from("c", from, random.nextBoolean())
                        .to("c", from + 1 + random.nextInt(rowsMax / 8), random.nextBoolean())
                        .delete();
            }
            case 4 ->
                row(key).clustering("c", random.nextInt(rowsMax))
                        .set("w", random.nextInt())
                        .update();
            default -> {
                byte[] bytes = new byte[valueBytes];
                random.nextBytes(bytes);
                row(key).clustering("c", random.nextInt(rowsMax))
                        .set("v", ByteBuffer.wrap(bytes))
                        .insert();
            }
        }
    }

    /** Keys, some of one token, in several SSTables and in memory. */
    private List<DecoratedKey> fill() throws IOException {
        List<DecoratedKey> keys = Stream.concat(
                        Stream.generate(() -> DecoratedKey.of(ByteBuffer.allocate(8)
                                        .putLong(random.nextLong())
                                        .array()))
                                .limit(30),
                        SameTokenKeys.of(random.nextLong(), 6))
                .sorted()
                .toList();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 120; i++) {
                write(keys.get(random.nextInt(keys.size())), 8, 10);
            }
            row(keys.get(random.nextInt(keys.size()))).deletePartition();
            if (round < 3) {
                table.flush();
            }
        }
        return keys;
    }

    private record Partition(DecoratedKey key, List<String> lines) {}

    private static List<Partition> partitions(FragmentCursor read) throws IOException {
        List<Partition> partitions = new ArrayList<>();
        try (FragmentCursor cursor = read) {
            while (cursor.advance() != null) {
                if (cursor.kind() == FragmentKind.PARTITION_START) {
                    partitions.add(new Partition(cursor.key().toDecoratedKey(), new ArrayList<>()));
                }
                partitions.get(partitions.size() - 1).lines().add(StreamText.fragment(cursor));
            }
        }
        return partitions;
    }

    /** Nothing, a key that is not there, each key, and the end of the tokens of each. */
    private static Optional<DecoratedKey> after(List<DecoratedKey> keys, int i) {
        if (i < 0) {
            return i == -2 ? Optional.empty() : Optional.of(DecoratedKey.of(new byte[] {9}));
        }
        return i < keys.size()
                ? Optional.of(keys.get(i))
                : RingPosition.behind(keys.get(i - keys.size()).token()).key();
    }

    private void checkScans(List<DecoratedKey> keys) throws IOException {
        List<Partition> all = partitions(table.scan(TokenRange.Linear.ALL));
        assertThat(all).hasSizeGreaterThan(keys.size() - 4);
        for (int i = -2; i < 2 * keys.size(); i++) {
            Optional<DecoratedKey> after = after(keys, i);
            long first = i % 2 == 0 ? Long.MIN_VALUE : random.nextLong();
            TokenRange.Linear range =
                    new TokenRange.Linear(first, i % 4 == 0 ? Long.MAX_VALUE : random.nextLong(first, Long.MAX_VALUE));
            for (int shard = 0; shard < table.shards().shardCount(); shard++) {
                int own = shard;
                List<Partition> expected = all.stream()
                        .filter(partition ->
                                table.shards().shardOf(partition.key().token()) == own
                                        && range.contains(partition.key().token())
                                        && after.stream()
                                                .allMatch(key -> partition.key().compareTo(key) > 0))
                        .toList();
                assertThat(partitions(table.scan(shard, range, after)))
                        .as("seed=%d, shard=%d, range=%s, after=%s", SEED, shard, range, after)
                        .isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NB", "DA"})
    void shouldScanAShardBehindAnyKey(SSTableVersion version) throws IOException {
        open(3, version);
        List<DecoratedKey> keys = fill();
        checkScans(keys);

        // The SSTables belong to all shards of another number of them, and what was in memory to the new ones.
        store.close();
        open(2, version);
        assertThat(table.shards().shardCount()).isEqualTo(2);
        checkScans(keys);
        store.close();
        store = null;

        try (Store readOnly = Store.openReadOnly(directory)) {
            table = readOnly.table("ks.t");
            assertThat(table.shards().shardCount()).isEqualTo(1);
            checkScans(keys);
        }
    }

    /** One fragment of a partition, and where it stands. */
    private record Step(String line, Clustering row, String bound, String deletion) {
        static Step of(FragmentCursor cursor) {
            String line = StreamText.fragment(cursor);
            if (cursor.kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                RangeTombstoneChange change = cursor.rangeTombstoneChange();
                String deletion = StreamText.deletion(change.timestampMicros(), change.localDeletionTimeSeconds());
                return new Step(line, null, StreamText.bound(change.prefix(), change.weight()), deletion);
            }
            boolean isRow = cursor.kind() == FragmentKind.CLUSTERING_ROW;
            return new Step(line, isRow ? cursor.row().clustering().copy() : null, "", "");
        }
    }

    private List<Step> read(Slices slices, boolean reversed) throws IOException {
        List<Step> steps = new ArrayList<>();
        try (ReadCursor cursor = table.read(WIDE, slices, reversed)) {
            while (cursor.advance() != null) {
                steps.add(Step.of(cursor));
            }
        }
        return steps;
    }

    private static List<String> lines(List<Step> steps) {
        return steps.stream().map(Step::line).toList();
    }

    /** What is left of a partition behind one of its rows: deletion and static values again, and what is open there. */
    private static List<String> rest(List<Step> whole, int at, String edge) {
        List<String> rest = new ArrayList<>();
        for (Step step : whole) {
            if (step.row() != null || !step.bound().isEmpty()) {
                break;
            }
            rest.add(step.line());
        }
        String open = " live";
        int next = 0;
        for (; next <= at || whole.get(next).bound().equals(edge); next++) {
            open = whole.get(next).bound().isEmpty() ? open : whole.get(next).deletion();
        }
        if (!open.equals(" live")) {
            rest.add("change " + edge + open);
        }
        rest.addAll(lines(whole.subList(next, whole.size())));
        return rest;
    }

    @ParameterizedTest
    @EnumSource(names = {"NB", "DA"})
    void shouldGoOnBehindEveryRowOfAPartition(SSTableVersion version) throws IOException {
        open(2, version);
        row(WIDE).set("s", 1).update();
        row(WIDE).timestampMicros(1).deletePartition();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < WIDE_ROWS; i++) {
                write(WIDE, WIDE_ROWS, 2000);
            }
            if (round < 3) {
                table.flush();
            }
        }
        int rows = 0;
        int open = 0;
        for (boolean reversed : new boolean[] {false, true}) {
            List<Step> whole = read(Slices.ALL, reversed);
            for (int at = 0; at < whole.size(); at++) {
                Clustering row = whole.get(at).row();
                if (row == null) {
                    continue;
                }
                rows++;
                Slice behind = reversed ? Slice.to(row, false) : Slice.from(row, false);
                String edge =
                        StreamText.bound(row, reversed ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER);
                List<String> rest = rest(whole, at, edge);
                open += rest.stream().anyMatch(line -> line.startsWith("change " + edge)) ? 1 : 0;
                assertThat(lines(read(Slices.of(behind), reversed)))
                        .as("seed=%d, reversed=%s, behind=%s", SEED, reversed, edge)
                        .isEqualTo(rest);
            }
        }
        assertThat(rows).isGreaterThan(WIDE_ROWS / 2);
        assertThat(open).isPositive();
    }

    private static long rowCount(ReadCursor cursor) throws IOException {
        long rows = 0;
        while (cursor.advance() != null) {
            rows += cursor.kind() == FragmentKind.CLUSTERING_ROW ? 1 : 0;
        }
        return rows;
    }

    private void insert(int from, int to) throws IOException {
        for (int c = from; c < to; c++) {
            row(WIDE).clustering("c", c).set("w", c).insert();
        }
    }

    private ReadCursor scan() throws IOException {
        return table.scan(table.shards().shardOf(WIDE.token()), TokenRange.Linear.ALL, Optional.empty());
    }

    @Test
    void shouldTellWhatAKeptCursorCosts() throws IOException {
        open(2, SSTableVersion.NB);
        insert(0, 100);
        ReadCursor closed;
        try (ReadCursor before = scan()) {
            assertThat(before.obsoleteBytes()).isZero();
            table.flush();
            long memory = before.obsoleteBytes();
            assertThat(memory).isPositive();
            assertThat(before.isCurrent()).isTrue();

            insert(50, 150);
            table.flush();
            assertThat(before.obsoleteBytes()).isEqualTo(memory);
            try (ReadCursor read = table.read(WIDE, Slices.ALL, true)) {
                assertThat(read.obsoleteBytes()).isZero();
                // Two SSTables, each with what was read of it and of its index, and memory that is there anyway.
                assertThat(read.heldBytes()).isBetween(1024L, 64 * 1024L);
                long bytes = table.liveTable().sstableBytes();
                table.compact();
                // Components other than the data are kept as well.
                assertThat(read.obsoleteBytes()).isGreaterThan(bytes);
                assertThat(before.obsoleteBytes()).isEqualTo(memory);
                assertThat(rowCount(read)).isEqualTo(150);
                assertThat(read.isCurrent()).isTrue();
            }
            assertThat(rowCount(before)).isEqualTo(100);
            closed = before;
        }
        assertThat(closed.obsoleteBytes()).isZero();
        assertThat(closed.isCurrent()).isFalse();
    }

    @Test
    void shouldTellThatATableIsAnotherOne() throws IOException {
        open(2, SSTableVersion.NB);
        insert(0, 10);
        ReadCursor beforeAlteration = scan();
        store.alterTable("ALTER TABLE ks.t ADD x int");
        assertThat(beforeAlteration.isCurrent()).isFalse();
        assertThat(rowCount(beforeAlteration)).isEqualTo(10);
        beforeAlteration.close();

        ReadCursor beforeTruncation = scan();
        assertThat(beforeTruncation.isCurrent()).isTrue();
        table.truncate();
        assertThat(beforeTruncation.isCurrent()).isFalse();
        assertThat(beforeTruncation.obsoleteBytes()).isPositive();
        assertThat(rowCount(beforeTruncation)).isEqualTo(10);
        beforeTruncation.close();

        ReadCursor beforeDrop = scan();
        assertThat(beforeDrop.isCurrent()).isTrue();
        store.dropTable("ks.t");
        assertThat(beforeDrop.isCurrent()).isFalse();
        assertThatIllegalStateException().isThrownBy(beforeDrop::advance);
        beforeDrop.close();

        table = create("CREATE TABLE ks.u (k blob, c int, w int, PRIMARY KEY (k, c))");
        insert(0, 10);
        ReadCursor beforeClosing = scan();
        store.close();
        assertThat(beforeClosing.isCurrent()).isFalse();
        beforeClosing.close();
    }
}
