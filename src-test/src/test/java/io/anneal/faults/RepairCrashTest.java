package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.TableSource;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that repairs a store and two Cassandra directories, while four threads write to the store, is killed at random
 * instants: before, while and after what was received is taken in. What it acknowledged is there, what was received is there
 * whole or not at all, and another repair makes all equal. {@code -Danneal.seed=N} for other instants, {@code
 * -Danneal.repair.crashes=N} for more.
 */
@Timeout(300)
class RepairCrashTest {
    private static final int ROUNDS = Integer.getInteger("anneal.repair.crashes", 5);
    private static final long SEED = Long.getLong("anneal.seed", 1);
    private static final int ROWS = 1_200;
    private static final int VALUE_BYTES = 200;
    private static final long WRITTEN_FROM = 1_000_000;
    private static final int DELAY_MAX_NANOS = 10_000_000;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @Test
    void shouldLoseNothingAndTakeNothingInByHalfWhenKilledAtAnyInstant() throws Exception {
        int takenIn = 0;
        int killed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Path place = directory.resolve("round" + round);
            prepare(place);
            KillPlan plan = plan(round);
            String what = "seed=" + SEED + ", round=" + round + ", " + plan;

            ChildRun run = ChildRun.of(
                    RepairCrashChild.class,
                    List.of(
                            place.toString(),
                            Integer.toString(random.nextInt(RepairCrashChild.REPLICAS.size())),
                            Long.toString(WRITTEN_FROM)),
                    plan,
                    directory.resolve("child.log"));

            assertThat(run.failures()).as(what).isEmpty();
            killed += run.isKilled() ? 1 : 0;
            takenIn += verify(place, run, what) ? 1 : 0;
        }
        System.out.println(
                "repair crashes: seed=" + SEED + ", rounds=" + ROUNDS + ", killed=" + killed + ", takenIn=" + takenIn);
        assertThat(killed).isPositive();
    }

    private static void prepare(Path place) throws IOException {
        ReplicaFiles.write(place.resolve("first"), ROWS, VALUE_BYTES, k -> k % 3 != 1);
        ReplicaFiles.write(place.resolve("second"), ROWS, VALUE_BYTES, k -> k % 3 != 2);
        try (Store store = RepairCrashChild.openStore(place)) {
            Table table = store.createTable(ReplicaFiles.SCHEMA_TEXT);
            table.importSSTables(ReplicaFiles.write(place.resolve("of-store"), ROWS, VALUE_BYTES, k -> k % 3 != 0));
        }
    }

    /** Each instant has its turn. */
    private KillPlan plan(int round) {
        String replica = RepairCrashChild.REPLICAS.get(random.nextInt(RepairCrashChild.REPLICAS.size()));
        int delayNanos = random.nextInt(random.nextInt(DELAY_MAX_NANOS) + 1);
        String phase = List.of(
                        RepairCrashChild.RECEIVES,
                        RepairCrashChild.COMPLETE + "store",
                        RepairCrashChild.COMPLETE + replica,
                        RepairCrashChild.COMPLETED + "store",
                        RepairCrashChild.COMPLETED + replica)
                .get(round % 5);
        int occurrence =
                phase.equals(RepairCrashChild.RECEIVES) ? 1 + random.nextInt(RepairCrashChild.REPLICAS.size()) : 1;
        return new KillPlan(phase, occurrence, Integer.MAX_VALUE, delayNanos);
    }

    /** Whether the store had taken in what it received. */
    private static boolean verify(Path place, ChildRun run, String what) throws IOException {
        boolean takenIn;
        try (Store store = RepairCrashChild.openStore(place)) {
            Table table = store.table("ks.t");
            Set<Long> keys = keys(table);
            assertThat(keys).as(what).containsAll(run.acknowledged());
            assertThat(keys.stream().filter(k -> k < WRITTEN_FROM && k % 3 != 0).count())
                    .as(what)
                    .isEqualTo(ROWS * 2 / 3);
            long received =
                    keys.stream().filter(k -> k < WRITTEN_FROM && k % 3 == 0).count();
            assertThat(received).as(what).isIn(0L, (long) ROWS / 3);
            takenIn = received > 0;
            assertNothingIsLeft(place, what);
            for (String replica : List.of("first", "second")) {
                assertStagedWholeOrNotAtAll(place, replica, what);
            }
            repairAndImport(place, store, what);
            List<String> lines = lines(table);
            assertThat(lines(place, "first")).as(what).isEqualTo(lines);
            assertThat(lines(place, "second")).as(what).isEqualTo(lines);
            assertThat(keys(table)).as(what).containsAll(keys).hasSize(keys.size() + (takenIn ? 0 : ROWS / 3));
        }
        return takenIn;
    }

    private static void assertNothingIsLeft(Path place, String what) throws IOException {
        // The store is open, and may delete what it has compacted below any walk.
        try (Stream<Path> tables = Files.list(place.resolve("store/data/ks"))) {
            assertThat(tables.map(table -> table.resolve("receiving")).filter(Files::exists))
                    .as(what)
                    .isEmpty();
        }
    }

    private static void assertStagedWholeOrNotAtAll(Path place, String replica, String what) throws IOException {
        RepairCrashChild.staging(place, replica).close();
        assertThat(staged(place, replica, ""))
                .as(what)
                .noneMatch(file -> file.getFileName().toString().startsWith(".anneal-staged"));
        long rows = 0;
        for (Path file : staged(place, replica, "-Data.db")) {
            try (SSTableReader reader = Formats.open(Descriptor.of(file).orElseThrow())) {
                reader.verify();
                rows += reader.statistics().totalRows();
            }
        }
        // Nothing of an unfinished run, or all that the other replicas' files have beside.
        assertThat(rows == 0 || rows >= ROWS / 3).as("%s, rows=%d", what, rows).isTrue();
    }

    private static List<Path> staged(Path place, String replica, String suffix) throws IOException {
        Path staged = place.resolve("staging-" + replica).resolve("ks").resolve("t");
        if (!Files.isDirectory(staged)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(staged)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    private static RepairReport repair(Path place, Store store, boolean dryRun) throws IOException {
        try (StagingArea first = RepairCrashChild.staging(place, "first");
                StagingArea second = RepairCrashChild.staging(place, "second")) {
            return Repair.of("ks.t")
                    .between(
                            RepairMember.here(new StoreReplicas(store)),
                            RepairMember.here(RepairCrashChild.cassandra(place, "first", first)),
                            RepairMember.here(RepairCrashChild.cassandra(place, "second", second)))
                    .range(TokenRange.FULL)
                    .dryRun(dryRun)
                    .bufferBytes(RepairCrashChild.BUFFER_BYTES)
                    .run(new RepairEnvironment(HostEnvironment.system(), Runnable::run, ByteBudget.of(64 << 20)));
        }
    }

    private static void repairAndImport(Path place, Store store, String what) throws IOException {
        repair(place, store, false);
        for (String replica : List.of("first", "second")) {
            importStaged(place, replica);
        }
        assertThat(repair(place, store, true).wereEqual()).as(what).isTrue();
    }

    /** As {@code nodetool import} does: under names that the table has not. */
    private static void importStaged(Path place, String replica) throws IOException {
        Path table = place.resolve(replica).resolve("ks").resolve("t");
        for (Path file : staged(place, replica, "")) {
            Files.move(file, table.resolve(file.getFileName().toString().replaceFirst("^nb-(\\w+)-", "nb-9$1-")));
        }
    }

    private static Set<Long> keys(Table table) throws IOException {
        Set<Long> keys = new TreeSet<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                keys.add(row.value("k", Long.class));
            }
        }
        return keys;
    }

    private static List<String> lines(Table table) throws IOException {
        try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL)) {
            return FragmentList.copyOf(cursor).lines();
        }
    }

    private static List<String> lines(Path place, String replica) throws IOException {
        return lines(TableSource.of(List.of(place.resolve(replica).resolve("ks").resolve("t")), Optional.empty()));
    }

    private static List<String> lines(TableSource source) throws IOException {
        try (SSTables sstables = SSTables.open(source);
                FragmentCursor cursor = sstables.scan(TokenRange.Linear.ALL)) {
            return FragmentList.copyOf(cursor).lines();
        }
    }
}
