package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several threads write counters, each key's by one of them, while others truncate, drop and make tables, flush, compact and
 * read. What was acknowledged behind the last emptying of its table is there, what was acknowledged before it is not, and
 * nothing that was seen and then gone is seen again. {@code -Danneal.seeds=N} for more, {@code -Danneal.seed=N} for others.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreRacesTest {
    private static final int WRITERS = 3;
    private static final int KEYS_EACH = 6;
    private static final int KEYS = WRITERS * KEYS_EACH;
    private static final int WRITES = 1_500;
    private static final int SNAPSHOTS_MAX = 5;
    private static final long NONE = -1;

    @TempDir
    private Path directory;

    private final AtomicBoolean done = new AtomicBoolean();

    private Store store;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 4));
    }

    /** A write that was acknowledged, and how often its table had been emptied when it began; NONE when it was just then. */
    private record Acknowledged(long count, long emptied) {}

    /** A table of counters, and what is known of it. */
    private final class Counters {
        private final String name;
        private final AtomicReferenceArray<Acknowledged> acknowledged = new AtomicReferenceArray<>(KEYS);
        private final AtomicLong emptyingsBegun = new AtomicLong();
        private final AtomicLong emptyingsEnded = new AtomicLong();
        private final String id = UUID.randomUUID().toString();

        Counters(String name) {
            this.name = name;
        }

        void create() throws IOException {
            store.createTable("CREATE TABLE " + name + " (k int PRIMARY KEY, n bigint, padding blob) WITH ID = " + id
                    + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2'}");
        }

        /** Absent while the table is dropped, or when it was meanwhile. */
        private <T> Optional<T> unlessDropped(TableCall<T> call) throws IOException {
            long begun = emptyingsBegun.get();
            boolean dropping = begun != emptyingsEnded.get();
            try {
                Optional<Table> table = store.findTable(name);
                return table.isEmpty() && (dropping || begun != emptyingsBegun.get())
                        ? Optional.empty()
                        : Optional.of(call.on(table.orElseThrow()));
            } catch (IllegalStateException e) {
                if (dropping || begun != emptyingsBegun.get()) {
                    return Optional.empty();
                }
                throw e;
            }
        }

        void write(int key, long count, byte[] padding) throws IOException {
            long emptied = emptyingsBegun.get();
            if (emptyingsEnded.get() != emptied) {
                emptied = NONE;
            }
            Optional<Boolean> written = unlessDropped(table -> {
                table.row()
                        .key("k", key)
                        .set("n", count)
                        .set("padding", padding)
                        .insert();
                return true;
            });
            if (written.isPresent()) {
                acknowledged.set(key, new Acknowledged(count, emptied));
            }
        }

        Optional<Long> read(int key) throws IOException {
            return unlessDropped(table -> table.row(Map.of("k", key))
                    .map(row -> row.value("n", Long.class))
                    .orElse(NONE));
        }

        void empty(boolean drops) throws IOException {
            long[] before = new long[KEYS];
            for (int key = 0; key < KEYS; key++) {
                Acknowledged last = acknowledged.get(key);
                before[key] = last == null ? NONE : last.count();
            }
            emptyingsBegun.incrementAndGet();
            if (drops) {
                store.dropTable(name);
                create();
            } else {
                store.table(name).truncate();
            }
            for (int key = 0; key < KEYS; key++) {
                long found = read(key).orElse(NONE);
                assertThat(found == NONE || found > before[key])
                        .as("seen after emptying, table=%s, key=%d, found=%d, before=%d", name, key, found, before[key])
                        .isTrue();
            }
            emptyingsEnded.incrementAndGet();
        }

        /** Reads a key, and holds what it finds against what was acknowledged, and against what was seen before. */
        void check(int key, Map<Integer, Seen> seen) throws IOException {
            Acknowledged last = acknowledged.get(key);
            Optional<Long> read = read(key);
            if (read.isEmpty()) {
                return;
            }
            long found = read.get();
            String what = "table=" + name + ", key=" + key + ", found=" + found + ", acknowledged=" + last;
            if (last != null && last.emptied() == emptyingsBegun.get()) {
                assertThat(found).as("acknowledged, and not seen: %s", what).isGreaterThanOrEqualTo(last.count());
            }
            Seen before = seen.computeIfAbsent(key, k -> new Seen());
            if (found == NONE) {
                before.gone = true;
                return;
            }
            assertThat(found).as("seen before: %s", what).isGreaterThanOrEqualTo(before.count);
            assertThat(before.gone && found == before.count)
                    .as("seen, gone, seen again: %s", what)
                    .isFalse();
            before.count = found;
            before.gone = false;
        }

        /** Holds files and memory for a while, as one does who reads slowly. */
        void scan() throws IOException {
            unlessDropped(table -> {
                try (TableRows rows = table.rows()) {
                    for (TableRow row = rows.next(); row != null; row = rows.next()) {
                        assertThat(row.value("n")).isNotNull();
                        Thread.onSpinWait();
                    }
                }
                return true;
            });
        }
    }

    private interface TableCall<T> {
        T on(Table table) throws IOException;
    }

    /** Of one key by one reader. */
    private static final class Seen {
        private long count = NONE;
        private boolean gone;
    }

    private static StoreConfig config(SplittableRandom random) {
        return StoreConfig.defaults()
                .withShardCount(1 + random.nextInt(3))
                .withSyncMode(SyncMode.values()[random.nextInt(SyncMode.values().length)])
                .withMemtableBudgetBytes(1 << 20)
                .withCommitLogSegmentBytes(256 << 10)
                .withCommitLogBudgetBytes(1 << 20)
                .withCompactionThreads(random.nextInt(3));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldShowWhatWasAcknowledgedWhenTablesAreEmptiedMeanwhile(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        List<Counters> tables =
                List.of(new Counters("race.kept"), new Counters("race.emptied"), new Counters("race.gone"));
        ExecutorService threads = Executors.newCachedThreadPool();
        try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
            store = Store.open(disk.path(), config(random));
            for (Counters table : tables) {
                table.create();
            }
            List<Future<?>> writers = new ArrayList<>();
            List<Future<?>> others = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                SplittableRandom own = random.split();
                writers.add(threads.submit(() -> write(tables, writer, own)));
            }
            others.add(threads.submit(untilDone(() -> tables.get(1).empty(false))));
            others.add(threads.submit(untilDone(() -> tables.get(2).empty(true))));
            others.add(threads.submit(upkeep(tables, random.split())));
            others.add(threads.submit(reads(tables, random.split())));
            others.add(threads.submit(reads(tables, random.split())));
            for (Future<?> writer : writers) {
                writer.get();
            }
            done.set(true);
            for (Future<?> other : others) {
                other.get();
            }
            assertThat(store.failure()).isEmpty();
            checkAll(tables);
            store.close();
            store = Store.open(disk.path(), config(random));
            checkAll(tables);
            store.close();
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
    }

    private static void checkAll(List<Counters> tables) throws IOException {
        for (Counters table : tables) {
            for (int key = 0; key < KEYS; key++) {
                table.check(key, new HashMap<>());
            }
        }
    }

    private Void write(List<Counters> tables, int writer, SplittableRandom random) throws IOException {
        for (long count = 0; count < WRITES; count++) {
            int key = writer * KEYS_EACH + random.nextInt(KEYS_EACH);
            byte[] padding = new byte[random.nextInt(3_000)];
            tables.get(random.nextInt(tables.size())).write(key, count, padding);
        }
        return null;
    }

    private interface Work {
        void run() throws IOException;
    }

    private Callable<Void> untilDone(Work work) {
        return () -> {
            while (!done.get()) {
                work.run();
            }
            return null;
        };
    }

    private Callable<Void> upkeep(List<Counters> tables, SplittableRandom random) {
        int[] snapshots = new int[1];
        return untilDone(() -> {
            Counters table = tables.get(random.nextInt(tables.size()));
            switch (random.nextInt(8)) {
                case 0 ->
                    table.unlessDropped(some -> {
                        some.compact();
                        return true;
                    });
                case 1 -> {
                    if (snapshots[0] < SNAPSHOTS_MAX) {
                        store.table("race.kept").snapshot("s" + snapshots[0]++);
                    }
                }
                case 2 -> table.scan();
                default ->
                    table.unlessDropped(some -> {
                        some.flush();
                        return true;
                    });
            }
        });
    }

    private Callable<Void> reads(List<Counters> tables, SplittableRandom random) {
        List<Map<Integer, Seen>> seen = tables.stream()
                .map(table -> (Map<Integer, Seen>) new HashMap<Integer, Seen>())
                .toList();
        return untilDone(() -> {
            int table = random.nextInt(tables.size());
            tables.get(table).check(random.nextInt(KEYS), seen.get(table));
        });
    }
}
