package io.anneal.paging.querier;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import io.anneal.store.RowBuilder;
import io.anneal.store.ShardReads;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.ReadCursor;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A table in one process that is written, flushed, compacted, altered, truncated and opened with other shards between two pages, and
 * within one whenever it opens a shard: each row that is there all the time comes once, as it was at some moment since the beginning,
 * and no other. {@code -Danneal.seeds=N} for more, {@code -Danneal.seed=N} for others.
 */
final class ChangingPagesTest {
    private static final int KEYS = 40;
    private static final int CLUSTERINGS = 6;
    private static final int READINGS = 10;
    private static final int WRITES_BEFORE = 300;
    private static final int SHARDS_MAX = 5;
    /** That come and go. */
    private static final Map<String, String> COLUMNS =
            new TreeMap<>(Map.of("a", "int", "z", "text", "n", "map<int, int>", "q", "int static", "t", "text static"));

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 24));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldShowWhatWasThereAllTheTimeOnce(long seed) throws IOException {
        try (Run run = new Run(directory, new Random(seed))) {
            for (int i = 0; i < WRITES_BEFORE; i++) {
                run.write();
            }
            for (int i = 0; i < READINGS; i++) {
                run.read();
            }
        }
    }

    /** What a query read at a moment, for what is shown of it at others. */
    private record Version(TableSchema schema, List<FragmentList> content) {}

    private static final class Run implements AutoCloseable {
        private final Path directory;
        private final Random random;
        private final ManualClock clock = ManualClock.create();
        private final HostEnvironment environment = HostEnvironment.system().withClock(clock);
        private final Queriers queriers;
        private Store store;
        private Table table;
        private QuerierPages pages;
        private boolean isWithin;
        private int alterations;

        /** Of the reading that is under way. */
        private ReadQuery query;

        private final List<Version> versions = new ArrayList<>();
        private final Set<Long> seconds = new LinkedHashSet<>();

        Run(Path directory, Random random) throws IOException {
            this.directory = directory;
            this.random = random;
            queriers = Queriers.open(QuerierLimits.DEFAULT.withReadAheads(0), environment);
            open();
        }

        private void open() throws IOException {
            store = Store.open(
                    directory,
                    StoreConfig.defaults()
                            .withShardCount(1 + random.nextInt(SHARDS_MAX))
                            .withCompactionThreads(0),
                    environment);
            table = store.findTable("ks.t").isPresent()
                    ? store.table("ks.t")
                    : store.createTable(
                            "CREATE TABLE ks.t (k int, c1 int, c2 int, v text, m map<int, int>, s text static,"
                                    + " PRIMARY KEY (k, c1, c2)) WITH CLUSTERING ORDER BY (c1 ASC, c2 DESC)");
            pages = queriers.pages("changing", new Disturbed());
        }

        /** The table, which changes now and then before a shard is opened. */
        private final class Disturbed implements ShardReads {
            private void disturb() throws IOException {
                if (isWithin && random.nextInt(4) == 0) {
                    isWithin = false;
                    change();
                    isWithin = true;
                }
            }

            @Override
            public TableSchema schema() {
                return table.schema();
            }

            @Override
            public ShardRule shards() {
                return table.shards();
            }

            @Override
            public ReadCursor scan(int shard, TokenRange.Linear range, Optional<DecoratedKey> after)
                    throws IOException {
                disturb();
                return table.scan(shard, range, after);
            }

            @Override
            public ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
                disturb();
                return table.read(key, slices, reversed);
            }
        }

        private long nowSeconds() {
            return clock.instant().getEpochSecond();
        }

        // What changes.

        private RowBuilder row() {
            return table.row()
                    .key("k", random.nextInt(KEYS))
                    .clustering("c1", random.nextInt(CLUSTERINGS))
                    .clustering("c2", random.nextInt(CLUSTERINGS));
        }

        private boolean has(String column) {
            return table.schema()
                    .column(column)
                    .filter(known -> !known.dropped())
                    .isPresent();
        }

        private void write() throws IOException {
            clock.advance(Duration.ofMillis(1));
            int key = random.nextInt(KEYS);
            switch (random.nextInt(12)) {
                case 0 -> row().deleteRow();
                case 1 ->
                    table.row()
                            .key("k", key)
                            .set("s", "s" + random.nextInt(100))
                            .update();
                case 2 -> table.row().key("k", key).delete("s").update();
                case 3 -> {
                    int from = random.nextInt(CLUSTERINGS);
                    table.rangeDeletion()
                            .key("k", key)
                            .from("c1", from, random.nextBoolean())
                            .to("c1", from + 1 + random.nextInt(2), random.nextBoolean())
                            .delete();
                }
                case 4 -> {
                    if (random.nextInt(3) == 0) {
                        table.row().key("k", key).deletePartition();
                    }
                }
                case 5 ->
                    row().set("v", "ttl").ttlSeconds(1 + random.nextInt(100)).insert();
                case 6 ->
                    row().set("m", Map.of(random.nextInt(3), random.nextInt(100)))
                            .update();
                case 7 -> {
                    if (has("q")) {
                        table.row().key("k", key).set("q", random.nextInt(100)).update();
                    }
                }
                default -> {
                    RowBuilder row = row().set("v", "v" + random.nextInt(1_000));
                    if (has("a")) {
                        row.set("a", random.nextInt(100));
                    }
                    if (has("z")) {
                        row.set("z", "z" + random.nextInt(100));
                    }
                    row.insert();
                }
            }
        }

        private void change() throws IOException {
            switch (random.nextInt(12)) {
                case 0, 1 -> table.flush();
                case 2 -> table.compact();
                case 3 -> {
                    // A page is tried again a few times, and no more.
                    if (alterations == 0) {
                        alterations++;
                        alter();
                    }
                }
                case 4 -> clock.advance(Duration.ofSeconds(random.nextInt(60)));
                case 5 -> {
                    if (random.nextInt(5) == 0) {
                        table.truncate();
                    }
                }
                default -> {
                    for (int i = 1 + random.nextInt(20); i > 0; i--) {
                        write();
                    }
                }
            }
            note();
        }

        private void alter() throws IOException {
            List<String> names = List.copyOf(COLUMNS.keySet());
            String name = names.get(random.nextInt(names.size()));
            String what = has(name) ? "DROP " + name : "ADD " + name + " " + COLUMNS.get(name);
            store.alterTable("ALTER TABLE ks.t " + what);
        }

        private void reopen() throws IOException {
            pages.close();
            store.close();
            open();
        }

        // What is read.

        private void note() throws IOException {
            if (query == null) {
                return;
            }
            List<FragmentList> content = new ArrayList<>();
            for (FragmentCursor cursor : PageRows.cursors(table, query)) {
                try (cursor) {
                    content.add(FragmentList.copyOf(cursor));
                }
            }
            versions.add(new Version(table.schema(), content));
            seconds.add(nowSeconds());
        }

        void read() throws IOException {
            query = random.nextBoolean()
                    ? PagesModelTest.ranges(random)
                    : PagesModelTest.partitions(table.schema(), random);
            boolean isStateful = random.nextInt(4) > 0;
            boolean changes = random.nextInt(6) > 0;
            versions.clear();
            seconds.clear();
            note();
            UUID id = new UUID(random.nextLong(), random.nextLong());
            List<String> found = new ArrayList<>();
            Optional<RingPosition> place = Optional.empty();
            String what = query + ", stateful=" + isStateful;
            do {
                alterations = 0;
                isWithin = changes && random.nextBoolean();
                Page page = pages.read(
                        new PageRequest(id, query, place, PagesModelTest.limits(random), nowSeconds(), isStateful));
                isWithin = false;
                List<String> rows = PageRows.of(page);
                Set<String> shown = shown(page.schema());
                assertThat(rows.stream().filter(row -> !shown.contains(row)))
                        .as("never there, %s", what)
                        .isEmpty();
                found.addAll(rows);
                place = page.last();
                if (changes && place.isPresent() && random.nextBoolean()) {
                    change();
                } else if (changes && random.nextInt(30) == 0) {
                    reopen();
                }
            } while (place.isPresent());
            require(found, what);
            query = null;
        }

        /** All that was shown by a schema. */
        private Set<String> shown(TableSchema schema) throws IOException {
            Set<String> shown = new HashSet<>();
            for (Version version : versions) {
                if (version.schema().equals(schema)) {
                    for (long now : seconds) {
                        shown.addAll(shown(version, now));
                    }
                }
            }
            return shown;
        }

        private List<String> shown(Version version, long now) throws IOException {
            return PageRows.of(
                    version.content().stream().map(FragmentList::cursor).toList(), query, now);
        }

        private void require(List<String> found, String what) throws IOException {
            List<String> places = found.stream().map(PageRows::place).toList();
            assertThat(places).as(what).doesNotHaveDuplicates();
            Map<String, Integer> at = new HashMap<>();
            places.forEach(place -> at.put(place, at.size()));
            Set<String> constant = null;
            for (Version version : versions) {
                for (long now : seconds) {
                    List<String> shown =
                            shown(version, now).stream().map(PageRows::place).toList();
                    assertThat(shown.stream().filter(at::containsKey).map(at::get))
                            .as("order, %s", what)
                            .isSorted();
                    constant = constant == null ? new LinkedHashSet<>(shown) : constant;
                    constant.retainAll(new HashSet<>(shown));
                }
            }
            assertThat(constant.stream().filter(row -> !at.containsKey(row)))
                    .as("lost, %s", what)
                    .isEmpty();
        }

        @Override
        public void close() throws IOException {
            queriers.close();
            store.close();
        }
    }
}
