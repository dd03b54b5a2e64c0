package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.conformance.Differences;
import io.anneal.faults.StoreCrashChild.Round;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.PurgeRule;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import io.anneal.simulation.NaiveTable;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.SyncMode;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that writes to a store is killed at random instants, again and again, with what it left going on in the next
 * round: what it acknowledged is there, what it did not is there whole or not at all, and nothing else is. {@code
 * -Danneal.crash.rounds=N} for more of them, {@code -Danneal.seed=N} for others.
 */
class StoreCrashTest {
    private static final int ROUNDS = Integer.getInteger("anneal.crash.rounds", 12);
    private static final long SEED = Long.getLong("anneal.seed", 1);
    private static final int WRITES_MAX = 1_500;
    private static final int MODEL_ROUNDS = 8;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final long nowSeconds = System.currentTimeMillis() / 1000;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final NumberedWrites writes = new NumberedWrites(SEED, nowSeconds);
    private final Map<String, NaiveTable> models = new HashMap<>();
    private final ScratchSteps scratchSteps = new ScratchSteps(SEED);

    /** Empty while the table is not there. */
    private Optional<ScratchSteps.Content> scratch = Optional.empty();

    private long nextNumber;
    private long nextStep = 1;

    @Test
    void shouldLoseNothingWhenKilledAtAnyInstant() throws Exception {
        for (TableSchema schema : writes.schemas()) {
            models.put(schema.qualifiedName(), new NaiveTable(schema));
        }
        int killed = 0;
        long acknowledged = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Round round = round(i);
            KillPlan plan = KillPlan.random(random, round.count());
            String what = "seed=" + SEED + ", " + plan + ", " + round;
            ChildRun run = ChildRun.of(round, plan, directory.resolve("child.log"));
            assertThat(run.failures()).as(what).isEmpty();
            if (run.isKilled()) {
                killed++;
            } else {
                assertThat(run.exitCode()).as(what).isZero();
            }
            acknowledged += run.acknowledged().size();
            if (run.isKilled() && random.nextInt(3) == 0) {
                killWhileOpening(round, what);
            }
            verify(round, run, what);
            if (i % MODEL_ROUNDS == 0) {
                models.values().forEach(NaiveTable::forgetShadowed);
            }
        }
        System.out.println("crash rounds: seed=" + SEED + ", rounds=" + ROUNDS + ", killed=" + killed
                + ", acknowledged=" + acknowledged);
        assertThat(killed).isGreaterThan(ROUNDS / 2);
    }

    /** Once more, so that recovery is cut short, too; with another number of shards, it may be. */
    private void killWhileOpening(Round round, String what) throws IOException, InterruptedException {
        Round opening = new Round(
                round.directory(),
                round.seed(),
                round.nowSeconds(),
                round.number(),
                round.first(),
                0,
                1,
                round.firstStep(),
                round.mode(),
                1 + random.nextInt(4),
                round.compressed());
        KillPlan plan = KillPlan.whileOpening(random);
        ChildRun run = ChildRun.of(opening, plan, directory.resolve("child.log"));
        assertThat(run.failures()).as("%s, then %s", what, plan).isEmpty();
    }

    private Round round(int number) {
        SyncMode[] modes = SyncMode.values();
        int window = 1 << random.nextInt(8);
        return new Round(
                directory.resolve("store"),
                SEED,
                nowSeconds,
                number,
                nextNumber,
                50 + random.nextInt(WRITES_MAX),
                window,
                nextStep,
                modes[number % modes.length],
                1 + random.nextInt(4),
                random.nextBoolean());
    }

    private void verify(Round round, ChildRun run, String what) throws IOException {
        if (!Files.exists(round.directory())) {
            return;
        }
        try (Store store = Store.open(round.directory(), round.config().withShardCount(1 + random.nextInt(4)))) {
            Map<String, Table> tables = new HashMap<>();
            store.tables().forEach(table -> tables.put(table.schema().qualifiedName(), table));
            assertThat(tables).as(what).doesNotContainKey(StoreCrashChild.REFUSED);
            takeOver(run, round, tables);
            verify(tables, what);
            verifyScratch(run, Optional.ofNullable(tables.get(ScratchSteps.TABLE)), what);
            if (random.nextInt(6) == 0) {
                store.compact();
                verify(tables, what + ", compacted");
            }
        }
        // Those of a table that was half dropped are back now.
        verifySnapshots(round.directory(), run, what);
    }

    /** What the store holds of those writes that were never acknowledged was made, then, and stays. */
    private void takeOver(ChildRun run, Round round, Map<String, Table> tables) throws IOException {
        Set<Long> made = new TreeSet<>(run.acknowledged());
        long end = Math.min(round.first() + round.count(), run.last().orElse(round.first() - 1) + round.window() + 1);
        for (NaiveTable model : models.values()) {
            Table table = tables.get(model.schema().qualifiedName());
            if (table != null) {
                NumberedWrites.numbers(unpurged(table), number -> {
                    if (number >= round.first() && number < end) {
                        made.add(number);
                    }
                });
            }
        }
        takeOverEmptying(run, round, tables).ifPresent(made::add);
        for (long number : made) {
            Optional<TableSchema> emptied = writes.emptied(number);
            if (emptied.isPresent()) {
                models.get(emptied.get().qualifiedName()).truncate();
                continue;
            }
            NumberedWrites.Write write = writes.write(number);
            models.get(write.schema().qualifiedName()).apply(write.mutation());
        }
        nextNumber = round.first() + round.count();
    }

    /** The emptying of a table that was begun and not acknowledged has been, or has not: behind all that was written before. */
    private Optional<Long> takeOverEmptying(ChildRun run, Round round, Map<String, Table> tables) throws IOException {
        long next = round.first() + run.acknowledged().size();
        Optional<TableSchema> emptied = writes.emptied(next);
        boolean isBegun = emptied.isPresent() && run.last().orElse(next - 1) == next - 1;
        if (!isBegun) {
            return Optional.empty();
        }
        Table table = tables.get(emptied.get().qualifiedName());
        boolean isEmpty = table == null || unpurged(table).fragments().isEmpty();
        return isEmpty ? Optional.of(next) : Optional.empty();
    }

    private static FragmentList unpurged(Table table) throws IOException {
        try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL)) {
            return FragmentList.copyOf(cursor);
        }
    }

    private void verify(Map<String, Table> tables, String what) throws IOException {
        for (NaiveTable model : models.values()) {
            String name = model.schema().qualifiedName();
            FragmentList expected = view(model.content().cursor());
            if (!tables.containsKey(name)) {
                assertThat(expected.lines()).as("%s, table=%s", what, name).isEmpty();
                continue;
            }
            Table table = tables.get(name);
            FragmentList actual = view(table.scan(TokenRange.Linear.ALL));
            Differences.assertSame(what + ", table=" + name, expected.lines(), actual.lines());
            Map<DecoratedKey, FragmentList> partitions = model.contentByKey();
            for (DecoratedKey key : partitions.keySet()) {
                if (random.nextInt(10) == 0) {
                    Differences.assertSame(
                            what + ", table=" + name + ", key=" + key,
                            view(partitions.get(key).cursor()).lines(),
                            view(table.read(key, Slices.ALL, false)).lines());
                }
            }
        }
    }

    /** What does not depend on what compactions have purged. */
    private FragmentList view(FragmentCursor cursor) throws IOException {
        // A minute later than anything was made or purged; all that expires has expired by then.
        long seconds = System.currentTimeMillis() / 1000 + 60;
        PurgeRule rule = new SessionPurgeRule(seconds, cursor.schema().options().gcGraceSeconds());
        try (FragmentCursor purged = new PurgeCursor(cursor, rule)) {
            return FragmentList.copyOf(purged);
        }
    }

    /** The step that was not acknowledged has been made, or has not. */
    private void verifyScratch(ChildRun run, Optional<Table> table, String what) throws IOException {
        long acknowledged = run.lastStep().orElse(nextStep - 1);
        for (long step = nextStep; step <= acknowledged; step++) {
            scratch = scratchSteps.after(step, scratch);
        }
        Optional<ScratchSteps.Content> found = Optional.empty();
        if (table.isPresent()) {
            found = Optional.of(ScratchSteps.read(table.get()));
        }
        assertThat(found)
                .as("%s, step=%d", what, acknowledged)
                .isIn(scratch, scratchSteps.after(acknowledged + 1, scratch));
        scratch = found;
        nextStep = acknowledged + 2;
    }

    /** Those that were acknowledged are whole; then all go, so that the disk does not fill. */
    private static void verifySnapshots(Path store, ChildRun run, String what) throws IOException {
        for (String name : run.snapshots()) {
            Path snapshot = store.resolve(name);
            assertThat(snapshot.resolve("schema.cql")).as(what).isRegularFile();
            assertThat(snapshot.resolve("manifest.json")).as(what).isRegularFile();
            try (SSTables sstables = SSTables.open(snapshot)) {
                for (SSTableReader reader : sstables.readers()) {
                    reader.verify();
                }
            }
        }
        for (Path table : tableDirectories(store)) {
            Path snapshots = table.resolve("snapshots");
            if (Files.exists(snapshots)) {
                delete(snapshots);
            }
        }
    }

    private static List<Path> tableDirectories(Path store) throws IOException {
        Path data = store.resolve("data");
        List<Path> found = new ArrayList<>();
        if (Files.exists(data)) {
            try (Stream<Path> walk = Files.walk(data, 2)) {
                walk.filter(path -> data.relativize(path).getNameCount() == 2).forEach(found::add);
            }
        }
        return found;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
