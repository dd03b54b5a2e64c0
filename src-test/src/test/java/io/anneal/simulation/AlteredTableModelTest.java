package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.Mutation;
import io.anneal.store.RowBuilder;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A table that is altered between writes, flushes, compactions, imports and crashes, and a naive table beside it: equal after
 * each. {@code -Danneal.seeds=N} for more, {@code -Danneal.seed=N} for others.
 */
class AlteredTableModelTest {
    private static final int STEPS = 60;
    private static final int KEYS = 3;
    private static final int ROWS = 3;
    /** How far ahead of the clock some writes are stamped, at most. */
    private static final int AHEAD_MILLIS = 15;

    private static final List<AlteredColumn> COLUMNS = List.of(
            new AlteredColumn("a", "int", false),
            new AlteredColumn("e", "int", false),
            new AlteredColumn("m", "map<int, int>", false),
            new AlteredColumn("q", "map<int, int>", false),
            new AlteredColumn("s", "int", true),
            new AlteredColumn("t", "map<int, int>", true),
            new AlteredColumn("z", "int", false));
    private static final List<String> OPTIONS = List.of(
            "compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '1'}",
            "compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2'}",
            "compaction = {'class': 'UnifiedCompactionStrategy'}",
            "compression = {'enabled': 'false'}",
            "compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': '4'}",
            "bloom_filter_fp_chance = 0.3");

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 16));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldShowWhatWasWrittenToTheColumnsThatThereAre(long seed) throws Exception {
        try (Run run = new Run(FaultyDirectory.create(directory), seed)) {
            for (int step = 0; step < STEPS; step++) {
                String what = run.step();
                run.assertSame("seed=" + seed + ", step=" + step + ", " + what);
            }
        }
    }

    /** A store under alteration. */
    private static final class Run implements AutoCloseable {
        private final FaultyDirectory disk;
        private final SplittableRandom random;
        private final AlteredModel model = new AlteredModel();
        private final ManualClock clock = ManualClock.create();
        private final Map<String, AlteredColumn> columns = new TreeMap<>();
        private final Map<String, Long> drops = new HashMap<>();
        private final List<Path> snapshots = new ArrayList<>();
        private SyncMode mode;
        private String partitionKey = "k";
        private String clustering = "c";
        private Store store;
        private Table table;
        private int writes;
        private int alterations;

        Run(FaultyDirectory disk, long seed) throws IOException {
            this.disk = disk;
            random = new SplittableRandom(seed);
            open();
            table = store.createTable("CREATE TABLE ks.t (k int, c int, e int, m map<int, int>, s int static,"
                    + " PRIMARY KEY (k, c)) WITH gc_grace_seconds = 2000000000");
            COLUMNS.stream().filter(c -> "ems".contains(c.name())).forEach(c -> columns.put(c.name(), c));
        }

        private void open() throws IOException {
            mode = SyncMode.values()[random.nextInt(SyncMode.values().length)];
            StoreConfig config = StoreConfig.defaults()
                    .withShardCount(1 + random.nextInt(3))
                    .withSyncMode(mode)
                    .withMemtableBudgetBytes(1 << 20)
                    .withCompactionThreads(random.nextInt(2));
            store = Store.open(
                    disk.path().resolve("store"),
                    config,
                    HostEnvironment.system().withClock(clock));
        }

        String step() throws IOException {
            return switch (random.nextInt(20)) {
                case 0, 1 -> add();
                case 2, 3 -> drop();
                case 4 -> rename();
                case 5 -> options();
                case 6, 7 -> staleWrite();
                case 8 -> {
                    table.flush();
                    yield "flush";
                }
                case 9 -> {
                    table.compact();
                    yield "compact";
                }
                case 10, 11 -> reopen();
                case 12 -> snapshot();
                case 13 -> importSnapshot();
                default -> write();
            };
        }

        /** Of the next write, before all that the clock gives later. */
        private long nextMicros() {
            clock.advance(Duration.ofMillis(1));
            return ChronoUnit.MICROS.between(java.time.Instant.EPOCH, clock.instant());
        }

        private void alter(String change) throws IOException {
            nextMicros();
            alterations++;
            store.alterTable("ALTER TABLE ks.t " + change);
        }

        private String add() throws IOException {
            List<AlteredColumn> missing =
                    COLUMNS.stream().filter(c -> !columns.containsKey(c.name())).toList();
            List<AlteredColumn> added =
                    missing.stream().filter(c -> random.nextInt(3) == 0).toList();
            if (added.isEmpty()) {
                return "nothing to add";
            }
            alter("ADD " + added.stream().map(AlteredColumn::definition).collect(Collectors.joining(", ")));
            added.forEach(c -> columns.put(c.name(), c));
            return "added " + added;
        }

        private String drop() throws IOException {
            List<String> there = List.copyOf(columns.keySet());
            if (there.isEmpty()) {
                return "nothing to drop";
            }
            String name = there.get(random.nextInt(there.size()));
            long beforeMicros = nextMicros();
            boolean timed = random.nextInt(3) == 0;
            long givenMicros = beforeMicros + random.nextInt(-20_000, 20_000) / 1000 * 1000 + 999;
            alter("DROP " + name + (timed ? " USING TIMESTAMP " + givenMicros : ""));
            long dropMicros = table.schema().column(name).orElseThrow().dropTimeMicros();
            if (timed) {
                assertThat(dropMicros).isEqualTo(Math.max(givenMicros, drops.getOrDefault(name, Long.MIN_VALUE)));
            } else {
                assertThat(dropMicros).isGreaterThan(beforeMicros);
            }
            drops.put(name, dropMicros);
            columns.remove(name);
            model.drop(name, dropMicros);
            return "dropped " + name + " at " + dropMicros;
        }

        private String rename() throws IOException {
            String newName = (random.nextBoolean() ? "k" : "c") + random.nextInt(1_000);
            if (newName.equals(partitionKey) || newName.equals(clustering)) {
                return "nothing to rename";
            }
            boolean key = newName.startsWith("k");
            alter("RENAME " + (key ? partitionKey : clustering) + " TO " + newName);
            partitionKey = key ? newName : partitionKey;
            clustering = key ? clustering : newName;
            return "renamed " + newName;
        }

        private String options() throws IOException {
            String option = OPTIONS.get(random.nextInt(OPTIONS.size()));
            alter("WITH " + option);
            return option;
        }

        /** A store goes on after what its SSTables hold, some of which was stamped ahead: the clock gets there as well. */
        private void passAhead() {
            clock.advance(Duration.ofMillis(AHEAD_MILLIS + 1));
        }

        private String write() throws IOException {
            StringBuilder what = new StringBuilder();
            for (int i = random.nextInt(4); i >= 0; i--) {
                TableMutation mutation = table.mutation();
                Runnable modelled = draw(mutation, what);
                mutation.apply();
                modelled.run();
            }
            return what.toString();
        }

        /** A mutation that was built before the table is altered keeps its meaning. */
        private String staleWrite() throws IOException {
            StringBuilder what = new StringBuilder("stale");
            TableMutation drawn = table.mutation();
            Runnable modelled = draw(drawn, what);
            Mutation built = drawn.build();
            what.append(" ").append(random.nextBoolean() ? add() : drop());
            boolean fits = Stream.of(what.toString().split("[, ]"))
                    .filter(word -> word.startsWith("set:"))
                    .allMatch(word -> columns.containsKey(word.substring(4)));
            if (fits) {
                table.apply(built);
                modelled.run();
            } else {
                assertThatThrownBy(() -> table.apply(built))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("column is not in the table any more");
            }
            return what.toString();
        }

        /** Draws a write; what it gives writes the same to the model. */
        private Runnable draw(TableMutation mutation, StringBuilder what) throws IOException {
            int k = random.nextInt(KEYS);
            int c = random.nextInt(ROWS);
            long micros = nextMicros();
            RowBuilder row = mutation.row().key(partitionKey, k).clustering(clustering, c);
            what.append(" write ").append(k).append('/').append(c).append('@').append(micros);
            if (random.nextInt(8) == 0) {
                row.timestampMicros(micros).deleteRow();
                return () -> model.deleteRow(k, c, micros);
            }
            long atMicros = random.nextInt(6) == 0
                    ? micros + random.nextInt(AHEAD_MILLIS) * 1_000 + 100 + writes++ % 800
                    : micros;
            if (atMicros != micros || random.nextBoolean()) {
                row.timestampMicros(atMicros);
            }
            List<Runnable> modelled = new ArrayList<>();
            boolean setsStatic = false;
            for (AlteredColumn column : columns.values()) {
                if (random.nextInt(2) == 0) {
                    what.append(" set:").append(column.name());
                    setsStatic |= column.isStatic();
                    modelled.add(set(row, column, k, c, atMicros));
                }
            }
            if (random.nextBoolean() || modelled.isEmpty() || setsStatic) {
                row.insert();
                modelled.add(() -> model.insert(k, c, atMicros));
            } else {
                row.update();
            }
            return () -> modelled.forEach(Runnable::run);
        }

        private Runnable set(RowBuilder row, AlteredColumn column, int k, int c, long micros) {
            int of = column.isStatic() ? AlteredModel.NO_ROW : c;
            int value = random.nextInt(1_000);
            if (!column.isMap()) {
                boolean deletes = random.nextInt(5) == 0;
                row.set(column.name(), deletes ? null : value);
                return () -> model.cell(k, of, column.name(), AlteredModel.NO_PATH, deletes ? null : value, micros);
            }
            Map<Integer, Integer> entries = Map.of(value % 3, value, value % 3 + 1, value + 1);
            if (random.nextBoolean()) {
                row.set(column.name(), entries);
                return () -> model.replace(k, of, column.name(), entries, micros);
            }
            row.add(column.name(), entries);
            return () -> entries.forEach((path, entry) -> model.cell(k, of, column.name(), path, entry, micros));
        }

        private String reopen() throws IOException {
            int how = random.nextInt(3);
            if (how == 1 || how == 2 && mode == SyncMode.PERIODIC) {
                disk.kill();
            } else if (how == 2) {
                disk.crash(random.nextLong());
            }
            try {
                store.close();
            } catch (IOException e) {
                assertThat(how).isPositive();
            }
            snapshots.clear();
            open();
            table = store.table("ks.t");
            passAhead();
            return "reopen " + how;
        }

        private String snapshot() throws IOException {
            Path taken = table.snapshot("s" + writes + "-" + alterations + "-" + snapshots.size() + "-" + nextMicros());
            snapshots.add(taken);
            try (Store readOnly = Store.openReadOnly(taken)) {
                assertThat(rows(readOnly.table("ks.t"))).isEqualTo(model.rows(columns));
            }
            return "snapshot";
        }

        /** What an older snapshot holds is there already, but for what was dropped since. */
        private String importSnapshot() throws IOException {
            if (snapshots.isEmpty()) {
                return "no snapshot";
            }
            table.importSSTables(snapshots.get(random.nextInt(snapshots.size())));
            passAhead();
            return "import";
        }

        void assertSame(String what) throws IOException {
            assertThat(rows(table)).as(what).isEqualTo(model.rows(columns));
        }

        private List<String> rows(Table of) throws IOException {
            Map<Integer, Map<Integer, String>> lines = new TreeMap<>();
            try (TableRows rows = of.rows()) {
                for (TableRow row = rows.next(); row != null; row = rows.next()) {
                    Map<String, Object> values = new TreeMap<>();
                    for (String name : columns.keySet()) {
                        if (row.value(name) != null) {
                            Object value = row.value(name);
                            values.put(name, value instanceof Map<?, ?> map ? new TreeMap<>(map) : value);
                        }
                    }
                    Integer c = row.value(clustering, Integer.class);
                    lines.computeIfAbsent(row.value(partitionKey, Integer.class), k -> new TreeMap<>())
                            .put(c == null ? AlteredModel.NO_ROW : c, (c == null ? "-" : c) + " " + values);
                }
            }
            List<String> all = new ArrayList<>();
            lines.forEach((k, rows) -> rows.values().forEach(row -> all.add(k + "/" + row)));
            return all;
        }

        @Override
        public void close() throws IOException {
            store.close();
            disk.close();
        }
    }
}
