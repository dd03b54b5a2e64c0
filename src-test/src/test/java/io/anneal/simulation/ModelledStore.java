package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.conformance.Differences;
import io.anneal.conformance.SliceModel;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Mutation;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.PurgeRule;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.directory.Formats;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import io.anneal.testkit.ManualClock;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** A store with one random table, and the naive table that it must equal. Every step is decided by the seed. */
final class ModelledStore implements AutoCloseable {
    private static final int TIMESTAMPS_A_DRAW = 1_000;
    private static final SSTableVersion[] VERSIONS = {SSTableVersion.NB, SSTableVersion.OA, SSTableVersion.DA};

    private final FaultyDirectory disk;
    private final RandomFragments fragments;
    private final NaiveTable model;
    private final SplittableRandom random;
    private final boolean purges;
    private final ManualClock clock;

    private SyncMode mode;
    private Store store;
    private Table table;
    private int draws;
    private int writeCount;
    private int snapshots;

    /** @param purges whether timestamps rise and time passes; else nothing is ever purgeable */
    ModelledStore(Path directory, RandomFragments fragments, long seed, boolean purges) throws IOException {
        disk = FaultyDirectory.create(directory);
        this.fragments = fragments;
        this.purges = purges;
        model = new NaiveTable(fragments.schema());
        random = new SplittableRandom(seed);
        // When nothing may be purged it is before everything that was deleted, so that nothing has expired, either.
        clock = ManualClock.at(Instant.ofEpochSecond(RandomFragments.DELETION_BASE_SECONDS + (purges ? 0 : -1_000)));
        store = open();
        table = store.createTable(fragments.schema());
    }

    private Store open() throws IOException {
        mode = SyncMode.values()[random.nextInt(SyncMode.values().length)];
        StoreConfig config = StoreConfig.defaults()
                .withShardCount(1 + random.nextInt(5))
                .withSyncMode(mode)
                .withMemtableBudgetBytes(random.nextBoolean() ? 1 << 20 : 16 << 20)
                .withCommitLogSegmentBytes(64 << 10)
                .withCommitLogBudgetBytes(256 << 10)
                .withCommitLogCompression(random.nextBoolean())
                .withCompactionThreads(random.nextInt(3))
                .withVersion(VERSIONS[random.nextInt(VERSIONS.length)]);
        return Store.open(
                disk.path().resolve("store"), config, HostEnvironment.system().withClock(clock));
    }

    int writeCount() {
        return writeCount;
    }

    // Steps.

    private FragmentList draw() {
        FragmentList draw = random.nextInt(6) == 0 ? fragments.nextWide(60) : fragments.next(0.4);
        draws++;
        long laterMicros = (long) draws * TIMESTAMPS_A_DRAW;
        return purges ? MovedFragments.of(draw, micros -> micros + laterMicros, seconds -> seconds) : draw;
    }

    private List<Mutation> mutations() {
        List<Mutation> mutations = new ArrayList<>(Mutations.of(draw()));
        Collections.shuffle(mutations, new Random(random.nextLong()));
        if (!purges && random.nextInt(3) == 0) {
            mutations.replaceAll(this::twice);
        }
        writeCount += mutations.size();
        return mutations;
    }

    /** With another draw's writes to the same partition behind: places written twice, and in no order. */
    private Mutation twice(Mutation mutation) {
        return Mutations.of(draw()).stream()
                .filter(other -> other.key().equals(mutation.key()))
                .findFirst()
                .map(other -> {
                    byte[] bytes = Arrays.copyOf(mutation.bytes(), mutation.lengthBytes() + other.lengthBytes());
                    System.arraycopy(other.bytes(), 0, bytes, mutation.lengthBytes(), other.lengthBytes());
                    return new Mutation(mutation.key(), bytes);
                })
                .orElse(mutation);
    }

    void write() throws IOException {
        for (Mutation mutation : mutations()) {
            table.apply(mutation);
            model.apply(mutation);
        }
    }

    void writeManyAtOnce() {
        List<CompletableFuture<?>> done = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            for (Mutation mutation : mutations()) {
                done.add(table.applyAsync(mutation));
                model.apply(mutation);
            }
        }
        done.forEach(CompletableFuture::join);
    }

    void flush() throws IOException {
        if (random.nextBoolean()) {
            table.flush();
        } else {
            store.flush();
        }
    }

    void compact() throws IOException {
        if (random.nextBoolean()) {
            table.compact();
        } else {
            store.compact();
        }
    }

    void reopen() throws IOException {
        TableSchema before = table.schema();
        switch (random.nextInt(3)) {
            case 0 -> store.close();
            case 1 -> stop(disk::kill);
            default -> stop(mode == SyncMode.PERIODIC ? disk::kill : this::crash);
        }
        store = open();
        table = store.table(before.qualifiedName());
        assertThat(table.schema()).isEqualTo(before);
    }

    private interface End {
        void come() throws IOException;
    }

    /** The process dies, or the machine. What was acknowledged is there all the same. */
    private void stop(End end) throws IOException {
        end.come();
        try {
            store.close();
        } catch (IOException e) {
            // Its disk is another machine's.
        }
    }

    private void crash() throws IOException {
        disk.crash(random.nextLong());
    }

    void snapshot() throws IOException {
        Path taken = table.snapshot("s" + snapshots++);
        List<String> expected = view(model.content().cursor()).lines();
        try (SSTables opened = SSTables.open(taken);
                FragmentCursor cursor = opened.scan(TokenRange.Linear.ALL)) {
            assertThat(view(cursor).lines()).isEqualTo(expected);
        }
        try (Store readOnly = Store.openReadOnly(taken);
                FragmentCursor cursor =
                        readOnly.table(model.schema().qualifiedName()).scan(TokenRange.Linear.ALL)) {
            assertThat(view(cursor).lines()).isEqualTo(expected);
        }
    }

    void importDraw() throws IOException {
        FragmentList draw = draw();
        boolean hasContent = draw.fragments().stream()
                .anyMatch(fragment -> fragment.row() != null || fragment.timestampMicros() != Long.MIN_VALUE);
        if (!hasContent) {
            return;
        }
        Path from = Files.createDirectories(disk.path().resolve("import-" + draws));
        SSTableWriterConfig config =
                SSTableWriterConfig.defaults(20).withVersion(VERSIONS[random.nextInt(VERSIONS.length)]);
        try (FragmentWriter writer = Formats.write(from, "1", model.schema(), config)) {
            writer.append(draw.cursor());
            writer.finish();
        }
        assertThat(table.importSSTables(from)).isEqualTo(1);
        model.add(draw);
    }

    void truncate() throws IOException {
        table.truncate();
        model.truncate();
    }

    void passTime() {
        if (purges) {
            clock.advance(Duration.ofSeconds(random.nextInt(random.nextBoolean() ? 100 : 50_000)));
        }
    }

    // Comparing.

    /** The table as a whole, parts of it, and single partitions, all ways round. */
    void assertSame(String what) throws IOException {
        FragmentList content = model.content();
        assertSame(what, table.scan(TokenRange.Linear.ALL), content);
        Map<DecoratedKey, FragmentList> partitions = model.contentByKey();
        for (int i = 0; i < 3; i++) {
            List<DecoratedKey> keys = fragments.keys();
            long one = keys.get(random.nextInt(keys.size())).token();
            long other = keys.get(random.nextInt(keys.size())).token();
            TokenRange.Linear range = new TokenRange.Linear(Math.min(one, other), Math.max(one, other));
            assertSame(what + ", range=" + range, table.scan(range), of(partitions, range));
        }
        for (int i = 0; i < 4; i++) {
            DecoratedKey key =
                    fragments.keys().get(random.nextInt(fragments.keys().size()));
            assertPartition(what, key, partitions.get(key));
        }
    }

    private FragmentList of(Map<DecoratedKey, FragmentList> partitions, TokenRange.Linear range) {
        FragmentList.Builder builder = FragmentList.builder(model.schema());
        partitions.forEach((key, partition) -> {
            if (range.contains(key.token())) {
                partition.fragments().forEach(builder::add);
            }
        });
        return builder.build();
    }

    private void assertPartition(String what, DecoratedKey key, FragmentList partition) throws IOException {
        boolean reversed = random.nextBoolean();
        if (partition == null) {
            assertSame(what + ", key=" + key, table.read(key, Slices.ALL, reversed), nothing());
            return;
        }
        Slices slices = random.nextInt(3) == 0 ? Slices.ALL : SliceModel.randomSlices(partition, random);
        assertSame(
                what + ", key=" + key + ", reversed=" + reversed + ", slices=" + slices,
                table.read(key, slices, reversed),
                SliceModel.sliced(partition, slices, reversed));
    }

    private FragmentList nothing() {
        return FragmentList.builder(model.schema()).build();
    }

    private void assertSame(String what, FragmentCursor actual, FragmentList expected) throws IOException {
        try (actual) {
            Differences.assertSame(
                    what, view(expected.cursor()).lines(), view(actual).lines());
        }
    }

    /** What does not depend on which compactions have been. */
    private FragmentList view(FragmentCursor cursor) throws IOException {
        long gcGraceSeconds = model.schema().options().gcGraceSeconds();
        PurgeRule rule = new SessionPurgeRule(clock.instant().getEpochSecond(), gcGraceSeconds);
        return withoutNothing(FragmentList.copyOf(new PurgeCursor(cursor, rule)));
    }

    /** A slice may show a partition of which nothing is left. */
    private static FragmentList withoutNothing(FragmentList list) {
        FragmentList.Builder builder = FragmentList.builder(list.schema());
        List<Fragment> all = list.fragments();
        for (int i = 0; i < all.size(); i++) {
            boolean nothing = all.get(i).kind() == FragmentKind.PARTITION_START
                    && all.get(i).timestampMicros() == Long.MIN_VALUE
                    && all.get(i + 1).kind() == FragmentKind.PARTITION_END;
            if (nothing) {
                i++;
            } else {
                builder.add(all.get(i));
            }
        }
        return builder.build();
    }

    @Override
    public void close() throws IOException {
        store.close();
        disk.close();
    }
}
