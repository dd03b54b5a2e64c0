package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.schema.Column;
import io.anneal.schema.SchemaException;
import io.anneal.simulation.NaiveRows.Kind;
import io.anneal.simulation.NaiveRows.Write;
import io.anneal.store.RowBuilder;
import io.anneal.store.RowRange;
import io.anneal.store.SSTableWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A store as a program uses it, by column names and through every call that changes something, with {@link NaiveRows} beside
 * each of its tables, which come and go. Calls come from an interrupted thread or from a future's callback, too: they are
 * done or not done. Every step is decided by the seed, save for which thread runs a callback.
 */
final class OperatedStore implements AutoCloseable {
    private static final int KEYS = 5;
    private static final int CLUSTERINGS = 6;
    private static final int SNAPSHOTS_MAX = 12;
    private static final String SNAPSHOT = "snapshot ";
    private static final List<String> TABLES = List.of("life.one", "life.two");
    private static final List<String> COLUMNS = List.of("v", "w");
    private static final List<String> COLUMNS_MAX = List.of("v", "w", "x", "y");
    private static final List<String> COMPACTIONS = List.of(
            "{'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2'}",
            "{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '1'}",
            "{'class': 'UnifiedCompactionStrategy', 'min_sstable_size': '1MiB'}",
            "{'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'MINUTES',"
                    + " 'compaction_window_size': '1'}");

    /** A snapshot, by its path in the store, and what is in it. */
    private record Kept(String table, String path, NaiveRows rows) {}

    /** What a call comes to. */
    interface Call {
        void run() throws IOException;
    }

    private final Optional<FaultyDirectory> disk;
    private final Path directory;
    private final SplittableRandom random;
    private final ManualClock clock = ManualClock.create();
    private final Map<String, NaiveRows> models = new TreeMap<>();
    /** The id of each table that is there, or was there last. */
    private final Map<String, String> ids = new TreeMap<>();

    private final List<Kept> snapshots = new ArrayList<>();

    private SyncMode mode;
    private Store store;
    private long lastNumber;
    private long aheadMicros;
    private int names;

    /** @param disk below which the store lies, or empty for this machine's own, which notices interrupted threads */
    OperatedStore(Path parent, Optional<FaultyDirectory> disk, long seed) throws IOException {
        this.disk = disk;
        directory = parent;
        random = new SplittableRandom(seed);
        store = Store.open(directory(), config(), environment());
        for (String name : TABLES) {
            create(name, false);
        }
    }

    private Path directory() {
        return disk.map(FaultyDirectory::path).orElse(directory).resolve("store");
    }

    private StoreConfig config() {
        mode = SyncMode.values()[random.nextInt(SyncMode.values().length)];
        return StoreConfig.defaults()
                .withShardCount(1 + random.nextInt(4))
                .withSyncMode(mode)
                .withMemtableBudgetBytes(1 << 20)
                .withCommitLogSegmentBytes(64 << 10)
                .withCommitLogBudgetBytes(256 << 10)
                .withCompactionThreads(random.nextInt(3));
    }

    private HostEnvironment environment() {
        return HostEnvironment.system().withClock(clock);
    }

    private boolean oneIn(int count) {
        return random.nextInt(count) == 0;
    }

    private long nowSeconds() {
        return clock.instant().getEpochSecond();
    }

    // Steps. Each says what it was.

    /** Does something, and says what. */
    String step() throws IOException {
        String name = TABLES.get(random.nextInt(TABLES.size()));
        if (!models.containsKey(name)) {
            return oneIn(3) ? elsewhere() : create(name, oneIn(3));
        }
        return switch (random.nextInt(30)) {
            case 0 -> flush(name);
            case 1 -> compact(name);
            case 2 -> snapshot(name);
            case 3 -> truncate(name);
            case 4 -> drop(name);
            case 5 -> dropAndCreate(name);
            case 6 -> importAhead(name);
            case 7, 8 -> importKept(name);
            case 9 -> interrupted(name);
            case 10, 11 -> fromCallback(name);
            case 12, 13 -> elsewhere();
            case 14 -> writeManyAtOnce(name);
            case 15 -> writeTogether(name);
            case 16, 17 -> alter(name);
            default -> write(name);
        };
    }

    private String elsewhere() throws IOException {
        return switch (random.nextInt(4)) {
            case 0 -> refuse();
            case 1 -> {
                clock.advance(Duration.ofSeconds(random.nextInt(40)));
                yield "time";
            }
            default -> reopen();
        };
    }

    private Write draw(NaiveRows model) {
        int key = random.nextInt(KEYS);
        int from = random.nextInt(CLUSTERINGS);
        int to = from + random.nextInt(CLUSTERINGS - from);
        int kind = random.nextInt(12);
        if (kind == 0) {
            return new Write(Kind.DELETE_PARTITION, key, 0, CLUSTERINGS, Map.of(), NaiveRows.NEVER);
        }
        if (kind <= 2) {
            return new Write(Kind.DELETE_ROWS, key, from, kind == 1 ? from : to, Map.of(), NaiveRows.NEVER);
        }
        Map<String, Object> values = new LinkedHashMap<>();
        for (String column : model.columns()) {
            if (oneIn(2)) {
                values.put(column, oneIn(6) ? null : text(column));
            }
        }
        long expirySeconds = oneIn(4) ? nowSeconds() + 1 + random.nextInt(100) : NaiveRows.NEVER;
        boolean inserts = values.isEmpty() || oneIn(2);
        return new Write(inserts ? Kind.INSERT : Kind.UPDATE, key, from, from, values, expirySeconds);
    }

    /** Some are long, so that memtables are flushed because they are full. */
    private String text(String column) {
        return lastNumber + column + "x".repeat(oneIn(15) ? random.nextInt(30_000) : random.nextInt(20));
    }

    private void put(NaiveRows model, Write write, RowBuilder row) throws IOException {
        row.key(model.keyName(), write.key());
        if (write.kind() != Kind.DELETE_PARTITION) {
            row.clustering(model.clusteringName(), write.from());
        }
        write.values().forEach(row::set);
        if (write.expirySeconds() != NaiveRows.NEVER) {
            row.ttlSeconds((int) (write.expirySeconds() - nowSeconds()));
        }
        switch (write.kind()) {
            case INSERT -> row.insert();
            case UPDATE -> row.update();
            case DELETE_ROWS -> row.deleteRow();
            case DELETE_PARTITION -> row.deletePartition();
        }
    }

    /** Adds a write to a mutation. */
    private void put(NaiveRows model, Write write, TableMutation mutation) throws IOException {
        if (write.kind() == Kind.DELETE_ROWS && write.from() < write.to()) {
            mutation.rangeDeletion()
                    .key(model.keyName(), write.key())
                    .from(model.clusteringName(), write.from(), true)
                    .to(model.clusteringName(), write.to(), true)
                    .delete();
        } else {
            put(model, write, mutation.row());
        }
    }

    /** A mutation of one write to the table and to the model. */
    private TableMutation mutation(String name, Write write, NaiveRows model) throws IOException {
        TableMutation mutation = store.table(name).mutation();
        put(model, write, mutation);
        model.add(++lastNumber, write);
        return mutation;
    }

    private String write(String name) throws IOException {
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            NaiveRows model = models.get(name);
            mutation(name, draw(model), model).apply();
        }
        return "write";
    }

    private String writeManyAtOnce(String name) throws IOException {
        List<CompletableFuture<?>> done = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            NaiveRows model = models.get(name);
            done.add(mutation(name, draw(model), model).applyAsync());
        }
        done.forEach(CompletableFuture::join);
        return "writes at once";
    }

    private String writeTogether(String name) throws IOException {
        NaiveRows model = models.get(name);
        TableMutation mutation = store.table(name).mutation();
        int key = random.nextInt(KEYS);
        for (int i = 0; i < 6; i++) {
            Write any = draw(model);
            Write write = new Write(any.kind(), key, any.from(), any.to(), any.values(), any.expirySeconds());
            put(model, write, mutation);
            model.add(++lastNumber, write);
        }
        mutation.apply();
        return "writes together";
    }

    private String flush(String name) throws IOException {
        if (oneIn(2)) {
            store.table(name).flush();
        } else {
            store.flush();
        }
        return "flush";
    }

    private String compact(String name) throws IOException {
        if (oneIn(2)) {
            store.table(name).compact();
        } else {
            store.compact();
        }
        return "compact";
    }

    private String snapshot(String name) throws IOException {
        keep(name, store.table(name).snapshot("s" + names++));
        return "snapshot";
    }

    private void keep(String name, Path snapshot) {
        if (snapshots.size() == SNAPSHOTS_MAX) {
            snapshots.remove(0);
        }
        snapshots.add(new Kept(
                name,
                directory().relativize(snapshot).toString(),
                models.get(name).copy()));
    }

    private Path snapshot(String table, String snapshot) {
        String[] parts = table.split("\\.");
        return directory()
                .resolve("data")
                .resolve(parts[0])
                .resolve(parts[1] + "-" + ids.get(table).replace("-", ""))
                .resolve("snapshots")
                .resolve(snapshot);
    }

    private String truncate(String name) throws IOException {
        store.table(name).truncate();
        models.get(name).truncate();
        return "truncate";
    }

    private String drop(String name) throws IOException {
        store.dropTable(name);
        models.remove(name);
        return "drop";
    }

    private String create(String name, boolean again) throws IOException {
        createInStore(name, again);
        models.put(name, new NaiveRows("k", "c", COLUMNS));
        return again ? "create with the same id" : "create";
    }

    private void createInStore(String name, boolean again) throws IOException {
        String id = again && ids.containsKey(name)
                ? ids.get(name)
                : new UUID(random.nextLong(), random.nextLong()).toString();
        ids.put(name, id);
        store.createTable("CREATE TABLE " + name + " (k int, c int, v text, w text, PRIMARY KEY (k, c)) WITH ID = " + id
                + " AND compaction = " + COMPACTIONS.get(random.nextInt(COMPACTIONS.size())));
    }

    private String alter(String name) throws IOException {
        NaiveRows model = models.get(name);
        String column = COLUMNS_MAX.get(random.nextInt(COLUMNS_MAX.size()));
        switch (random.nextInt(6)) {
            case 0 -> {
                String from = oneIn(2) ? model.keyName() : model.clusteringName();
                String to = from.length() > 1 ? from.substring(1) : from + from;
                store.alterTable("ALTER TABLE " + name + " RENAME " + from + " TO " + to);
                model.rename(from, to);
                return "rename " + from;
            }
            case 1 -> {
                store.alterTable("ALTER TABLE " + name + " WITH compaction = "
                        + COMPACTIONS.get(random.nextInt(COMPACTIONS.size())));
                return "alter compaction";
            }
            case 2 -> {
                String options = RefusedTables.OPTIONS.get(random.nextInt(RefusedTables.OPTIONS.size()));
                Optional<Exception> refusal =
                        failure(() -> store.alterTable("ALTER TABLE " + name + " WITH " + options));
                assertThat(refusal).as("refusal, options=%s", options).isPresent();
                assertThat(refusal.get()).as("options=%s", options).isInstanceOf(SchemaException.class);
                return "refuse to alter " + options;
            }
            default -> {
                if (model.columns().contains(column)) {
                    store.alterTable("ALTER TABLE " + name + " DROP " + column);
                    model.dropColumn(column, ++lastNumber);
                    return "drop column " + column;
                }
                store.alterTable("ALTER TABLE " + name + " ADD " + column + " text");
                model.addColumn(column);
                return "add column " + column;
            }
        }
    }

    private String dropAndCreate(String name) throws IOException {
        drop(name);
        if (oneIn(2)) {
            reopen();
        }
        return "drop, " + create(name, !oneIn(3));
    }

    /** Rows of somebody whose clock is ahead: what is written behind them wins all the same. */
    private String importAhead(String name) throws IOException {
        NaiveRows model = models.get(name);
        long clockMicros = nowSeconds() * 1_000_000;
        aheadMicros = Math.max(clockMicros, aheadMicros) + random.nextInt(1, 3_600) * 1_000_000L;
        Path target = Files.createDirectories(directory().resolveSibling("import-" + names++));
        List<Write> writes = new ArrayList<>();
        try (SSTableWriter writer = SSTableWriter.builder(store.table(name).schema())
                .to(target)
                .timestampMicros(aheadMicros)
                .unsorted(1 << 20)) {
            for (int key = 0; key < KEYS; key++) {
                Map<String, Object> values = new LinkedHashMap<>();
                for (String column : model.columns()) {
                    values.put(column, "ahead" + names);
                }
                Write write = new Write(Kind.INSERT, key, random.nextInt(CLUSTERINGS), 0, values, NaiveRows.NEVER);
                writes.add(write);
                put(model, write, writer.row());
            }
            writer.finish();
        }
        String[] parts = name.split("\\.");
        assertThat(store.table(name).importSSTables(target.resolve(parts[0]).resolve(parts[1])))
                .isPositive();
        for (Write write : writes) {
            model.add(++lastNumber, write);
        }
        return "import ahead of the clock";
    }

    private Optional<Kept> someKept(String name) {
        NaiveRows model = models.get(name);
        List<Kept> fitting = snapshots.stream()
                .filter(kept -> kept.table().equals(name) && kept.rows().fits(model))
                .toList();
        return fitting.isEmpty() ? Optional.empty() : Optional.of(fitting.get(random.nextInt(fitting.size())));
    }

    private String importKept(String name) throws IOException {
        Optional<Kept> kept = someKept(name);
        if (kept.isEmpty()) {
            return "nothing";
        }
        importKept(name, kept.get());
        models.get(name).addAll(kept.get().rows());
        return "import of " + kept.get().path();
    }

    private void importKept(String name, Kept kept) throws IOException {
        Path path = directory().resolve(kept.path());
        boolean empty;
        try (Stream<Path> files = Files.list(path)) {
            empty = files.noneMatch(file -> file.toString().endsWith("-Data.db"));
        }
        if (!empty) {
            store.table(name).importSSTables(path);
        }
    }

    /** A table that cannot be made is refused, and leaves nothing. */
    private String refuse() throws IOException {
        String options = RefusedTables.OPTIONS.get(random.nextInt(RefusedTables.OPTIONS.size()));
        List<String> before = files();
        TreeSet<String> metricsBefore = new TreeSet<>(store.metrics().keySet());
        Optional<Exception> refusal =
                failure(() -> store.createTable("CREATE TABLE life.bad (k int PRIMARY KEY, v text) WITH " + options));
        assertThat(refusal).as("refusal of a table, options=%s", options).isPresent();
        assertThat(refusal.get()).as("options=%s", options).isInstanceOf(SchemaException.class);
        assertThat(files())
                .as("what the refused table left, options=%s", options)
                .isEqualTo(before);
        assertThat(store.metrics().keySet()).isEqualTo(metricsBefore);
        return "refuse " + options;
    }

    /** Those of all tables' keyspaces, by name; what is in them may come and go. */
    private List<String> files() throws IOException {
        Path data = directory().resolve("data");
        try (Stream<Path> walk = Files.walk(data, 2)) {
            return walk.map(path -> data.relativize(path).toString()).sorted().toList();
        }
    }

    private static Optional<Exception> failure(Call call) {
        try {
            call.run();
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.of(e);
        }
    }

    // Calls that may not come through.

    /** Something that is done or not done, and what there is in the table behind it; null when there is no table. */
    private record Trial(String what, Call call, Optional<NaiveRows> done) {}

    private Trial trial(String name) {
        NaiveRows model = models.get(name);
        Table table = store.table(name);
        NaiveRows after = model.copy();
        switch (random.nextInt(9)) {
            case 8 -> {
                String column = "added" + names++;
                after.addColumn(column);
                return new Trial(
                        "alter",
                        () -> store.alterTable("ALTER TABLE " + name + " ADD " + column + " text"),
                        Optional.of(after));
            }
            case 0 -> {
                after.truncate();
                return new Trial("truncate", table::truncate, Optional.of(after));
            }
            case 1 -> {
                return new Trial("drop", () -> store.dropTable(name), Optional.empty());
            }
            case 2 -> {
                return new Trial("flush", table::flush, Optional.of(after));
            }
            case 3 -> {
                return new Trial("compact", table::compact, Optional.of(after));
            }
            case 4 -> {
                String kept = "s" + names++;
                return new Trial(SNAPSHOT + kept, () -> table.snapshot(kept), Optional.of(after));
            }
            case 5 -> {
                Optional<Kept> kept = someKept(name);
                kept.ifPresent(some -> after.addAll(some.rows()));
                return new Trial(
                        "import",
                        () -> {
                            if (kept.isPresent()) {
                                importKept(name, kept.get());
                            }
                        },
                        Optional.of(after));
            }
            default -> {
                Write write = draw(model);
                TableMutation mutation = table.mutation();
                after.add(++lastNumber, write);
                return new Trial(
                        "write",
                        () -> {
                            put(model, write, mutation);
                            mutation.apply();
                        },
                        Optional.of(after));
            }
        }
    }

    /** Whether the trial was made or not is for the store to say, now and for ever; one that came through was. */
    private void conclude(String name, Trial trial, Optional<Exception> failure, String how) throws IOException {
        String what = how + ", " + trial.what() + ", failure="
                + failure.map(String::valueOf).orElse("none");
        failure.ifPresent(e -> assertThat(e.getMessage()).as(what).isNotBlank());
        if (trial.what().startsWith(SNAPSHOT)) {
            // Whole or not at all: it is imported later.
            Path snapshot = snapshot(name, trial.what().substring(SNAPSHOT.length()));
            if (Files.exists(snapshot)) {
                keep(name, snapshot);
            } else {
                assertThat(failure).as(what).isPresent();
            }
        }
        boolean there = store.findTable(name).isPresent();
        if (there && failure.isPresent()) {
            settle(name);
        }
        if (trial.done().isEmpty()) {
            if (failure.isEmpty()) {
                assertThat(there).as(what).isFalse();
            }
            if (!there) {
                models.remove(name);
            }
            return;
        }
        assertThat(there).as(what).isTrue();
        NaiveRows done = trial.done().get();
        boolean made = failure.isEmpty()
                || columns(name).equals(done.columns()) && rows(name, done).equals(done.rows(nowSeconds()));
        if (made) {
            models.put(name, done);
        }
    }

    /** Behind this nothing is under way to the table. */
    private void settle(String name) throws IOException {
        NaiveRows model = models.get(name);
        for (int key = 0; key < KEYS; key++) {
            // Nothing is there, and nothing will be.
            store.table(name)
                    .row()
                    .key(model.keyName(), key)
                    .clustering(model.clusteringName(), CLUSTERINGS + 1)
                    .deleteRow();
        }
    }

    private String interrupted(String name) throws IOException {
        if (oneIn(4)) {
            return reopenInterrupted();
        }
        Trial trial = trial(name);
        Optional<Exception> failure = interrupted(trial.call());
        conclude(name, trial, failure, "interrupted");
        return "interrupted " + trial.what() + failure.map(e -> ", failed").orElse("");
    }

    /** Runs something on a thread that is interrupted before it begins, or by one of the operations on files meanwhile. */
    private Optional<Exception> interrupted(Call call) {
        Thread caller = Thread.currentThread();
        AtomicInteger left = new AtomicInteger(random.nextInt(20));
        if (left.get() == 0 || disk.isEmpty()) {
            caller.interrupt();
        } else {
            disk.get().inject(Fault.on(Operation.CREATE, Operation.values()).named(file -> {
                if (Thread.currentThread() == caller && left.decrementAndGet() == 0) {
                    caller.interrupt();
                }
                return false;
            }));
        }
        try {
            return failure(call);
        } finally {
            disk.ifPresent(FaultyDirectory::heal);
            Thread.interrupted();
        }
    }

    /** The calls of a callback are made, or refused as a whole. */
    private String fromCallback(String name) throws IOException {
        NaiveRows model = models.get(name);
        CompletableFuture<Void> first = mutation(name, draw(model), model).applyAsync();
        Trial trial = trial(name);
        Optional<Exception> failure =
                first.thenApply(nothing -> failure(trial.call())).join();
        conclude(name, trial, failure, "from a callback");
        return "callback's " + trial.what() + failure.map(e -> ", refused").orElse("");
    }

    // Opening and closing.

    private String reopen() throws IOException {
        String how = "close";
        boolean dies = disk.isPresent() && oneIn(2);
        if (dies) {
            how = mode == SyncMode.PERIODIC || oneIn(2) ? "kill" : "crash";
            if (how.equals("kill")) {
                disk.get().kill();
            } else {
                disk.get().crash(random.nextLong());
            }
            // Its disk is another machine's.
            failure(store::close);
        } else {
            store.close();
        }
        store = Store.open(directory(), config(), environment());
        return how + " and open";
    }

    private String reopenInterrupted() throws IOException {
        Optional<Exception> closing = interrupted(store::close);
        store.close();
        AtomicInteger opened = new AtomicInteger();
        Optional<Exception> opening = interrupted(() -> {
            store = Store.open(directory(), config(), environment());
            opened.incrementAndGet();
        });
        opening.ifPresent(e -> assertThat(e)
                .as("interrupted while opening")
                .isNotInstanceOf(ClosedChannelException.class)
                .hasMessageMatching("(?s).+"));
        if (opened.get() == 0) {
            store = Store.open(directory(), config(), environment());
        }
        return "interrupted close" + closing.map(e -> ", failed").orElse("") + ", interrupted open"
                + opening.map(e -> ", failed").orElse("");
    }

    // Comparing.

    /** All tables, as a whole and by partition, both ways. */
    void assertSame(String what) throws IOException {
        assertThat(store.failure()).as(what).isEmpty();
        assertThat(store.tables().stream()
                        .map(table -> table.schema().qualifiedName())
                        .toList())
                .as(what)
                .containsExactlyElementsOf(models.keySet());
        for (Map.Entry<String, NaiveRows> entry : models.entrySet()) {
            NaiveRows model = entry.getValue();
            assertThat(columns(entry.getKey())).as(what).isEqualTo(model.columns());
            NavigableMap<Integer, NavigableMap<Integer, Map<String, Object>>> expected = model.rows(nowSeconds());
            assertRows(
                    what + ", table=" + entry.getKey(),
                    flat(rows(entry.getKey(), model).values()),
                    flat(expected.values()));
            Table table = store.table(entry.getKey());
            for (int key = 0; key < KEYS; key++) {
                NavigableMap<Integer, Map<String, Object>> rows = expected.getOrDefault(key, new TreeMap<>());
                String partition = what + ", table=" + entry.getKey() + ", key=" + key;
                assertThat(values(table.partition(key))).as(partition).containsExactlyElementsOf(rows.values());
                assertThat(values(table.partition(RowRange.ALL.reversed(), key)))
                        .as(partition + ", reversed")
                        .containsExactlyElementsOf(rows.descendingMap().values());
            }
        }
    }

    private static List<Map<String, Object>> flat(Collection<NavigableMap<Integer, Map<String, Object>>> partitions) {
        return partitions.stream().flatMap(rows -> rows.values().stream()).toList();
    }

    private static void assertRows(
            String what, List<Map<String, Object>> actual, Collection<Map<String, Object>> expected) {
        List<Map<String, Object>> more = new ArrayList<>(actual);
        more.removeAll(expected);
        List<Map<String, Object>> missing = new ArrayList<>(expected);
        missing.removeAll(actual);
        assertThat(describe(more))
                .as("%s: too much; missing is %s", what, describe(missing))
                .isEmpty();
        assertThat(describe(missing)).as("%s: missing", what).isEmpty();
        assertThat(actual).as(what).hasSameSizeAs(expected).containsExactlyElementsOf(expected);
    }

    private static List<String> describe(List<Map<String, Object>> rows) {
        return rows.stream()
                .map(row -> new TreeMap<>(row).toString().replaceAll("x{3,}", "..."))
                .toList();
    }

    private NavigableMap<Integer, NavigableMap<Integer, Map<String, Object>>> rows(String name, NaiveRows model)
            throws IOException {
        NavigableMap<Integer, NavigableMap<Integer, Map<String, Object>>> found = new TreeMap<>();
        for (Map<String, Object> row : values(store.table(name).rows())) {
            found.computeIfAbsent((Integer) row.get(model.keyName()), k -> new TreeMap<>())
                    .put((Integer) row.get(model.clusteringName()), row);
        }
        return found;
    }

    private TreeSet<String> columns(String name) {
        return store.table(name).schema().regularColumns().stream()
                .filter(column -> !column.dropped())
                .map(Column::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Map<String, Object>> values(TableRows rows) throws IOException {
        List<Map<String, Object>> found = new ArrayList<>();
        try (rows) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                found.add(row.values());
            }
        }
        return found;
    }

    @Override
    public void close() throws IOException {
        try {
            store.close();
        } finally {
            if (disk.isPresent()) {
                disk.get().close();
            }
        }
    }
}
