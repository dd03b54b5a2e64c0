package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.node.Waiver;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.LiveFiles;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.directory.Formats;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The SSTables that a repair leaves: few, in the time windows and at the level where they belong, and nothing in them twice. */
@Timeout(60)
class RepairFilesTest {
    private static final long DAY_MICROS = TimeUnit.DAYS.toMicros(1);
    private static final long FIRST_MICROS = 20_000 * DAY_MICROS;
    private static final int PARTITIONS = 40;
    private static final String WINDOWS = "{'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'DAYS',"
            + " 'compaction_window_size': '1'}";

    /** Of any key but the empty one. */
    private static final TokenRange ALL = new TokenRange(Long.MIN_VALUE, Long.MAX_VALUE);

    @TempDir
    private Path directory;

    private Store of;
    private Store to;
    private Table full;
    private Table empty;

    @BeforeEach
    void start() throws IOException {
        of = Store.open(directory.resolve("of"), StoreConfig.defaults().withShardCount(1));
        to = Store.open(directory.resolve("to"), StoreConfig.defaults().withShardCount(1));
    }

    @AfterEach
    void stop() throws IOException {
        to.close();
        of.close();
    }

    private static String schema(String compaction) {
        return "CREATE TABLE ks.t (k int, c int, s text static, v text, w text, PRIMARY KEY (k, c))"
                + " WITH id = 11111111-2222-3333-4444-555555555555 AND compaction = " + compaction;
    }

    private void createTables(String compaction) throws IOException {
        full = of.createTable(schema(compaction));
        empty = to.createTable(schema(compaction));
        Path data = Files.createDirectories(owned().resolve("ks/t-11111111222233334444555555555555"));
        Files.writeString(data.resolve("schema.cql"), schema(compaction) + ";");
    }

    private Path owned() {
        return directory.resolve("owned");
    }

    private static void row(Table table, int k, int c, String column, String value, long micros) throws IOException {
        table.row()
                .key("k", k)
                .clustering("c", c)
                .set(column, value)
                .timestampMicros(micros)
                .insert();
    }

    /** Rows of so many days. */
    private void fill(int days) throws IOException {
        for (int k = 0; k < PARTITIONS; k++) {
            for (int day = 0; day < days; day++) {
                row(full, k, day, "v", "v" + k, FIRST_MICROS + day * DAY_MICROS + k);
            }
        }
        full.flush();
    }

    private RepairReport repair() throws IOException {
        return repair(4_000);
    }

    /** Between two stores and a directory beside Cassandra; a small buffer makes many windows. */
    private RepairReport repair(int bufferBytes) throws IOException {
        try (StagingArea staging =
                StagingArea.open(directory.resolve("staging"), owned().toString(), InstantSource.system())) {
            return Repair.of("ks.t")
                    .between(
                            RepairMember.here(new StoreReplicas(of)),
                            RepairMember.here(new StoreReplicas(to)),
                            RepairMember.here(
                                    new CassandraReplicas(List.of(owned()), Optional.empty(), Optional.of(staging))))
                    .range(ALL)
                    .bufferBytes(bufferBytes)
                    .allow(EnumSet.allOf(Waiver.class))
                    .run(new RepairEnvironment(HostEnvironment.system(), Runnable::run, ByteBudget.of(64 << 20)));
        }
    }

    private Path stagedTable() {
        return directory.resolve("staging/ks/t");
    }

    /** Of each SSTable that waits for import the day of its newest write; all of them at level 0. */
    private List<Long> stagedDays() throws IOException {
        try (SSTables staged = SSTables.open(stagedTable())) {
            return days(staged.readers());
        }
    }

    private static List<Long> days(List<SSTableReader> readers) throws IOException {
        List<Long> days = new ArrayList<>();
        for (SSTableReader reader : readers) {
            assertThat(reader.verify()).isEmpty();
            assertThat(reader.statistics().level()).isZero();
            days.add((reader.statistics().maxTimestampMicros() - FIRST_MICROS) / DAY_MICROS);
        }
        return days;
    }

    private static List<Long> liveDays(Table table) throws IOException {
        List<SSTableReader> readers = new ArrayList<>();
        try (LiveFiles files = table.liveFiles()) {
            for (LiveFiles.PinnedSSTable sstable : files.sstables()) {
                readers.add(Formats.open(sstable.descriptor()));
            }
            return days(readers);
        } finally {
            for (SSTableReader reader : readers) {
                reader.close();
            }
        }
    }

    private static Map<FragmentKind, Integer> kinds(FragmentCursor cursor) throws IOException {
        Map<FragmentKind, Integer> kinds = new EnumMap<>(FragmentKind.class);
        try (cursor) {
            while (cursor.advance() != null) {
                kinds.merge(cursor.kind(), 1, Integer::sum);
            }
        }
        return kinds;
    }

    @Test
    void shouldWriteOneSSTableForAllWindowsOfASession() throws IOException {
        createTables("{'class': 'LeveledCompactionStrategy'}");
        fill(4);

        RepairReport report = repair();

        assertThat(report.windows()).isGreaterThan(2);
        assertThat(stagedDays()).containsExactly(3L);
        assertThat(liveDays(empty)).containsExactly(3L);
        assertThat(report.replicas().get(2).sstables()).hasSize(1);
        assertThat(kinds(empty.scan(TokenRange.Linear.ALL))).containsEntry(FragmentKind.CLUSTERING_ROW, 4 * PARTITIONS);
    }

    /** Else an import would keep what has expired until the newest of all windows has. */
    @Test
    void shouldWriteOneSSTableATimeWindowWhereTheTableHasThem() throws IOException {
        createTables(WINDOWS);
        fill(4);

        repair();

        assertThat(stagedDays()).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
        assertThat(liveDays(empty)).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
        try (SSTables staged = SSTables.open(stagedTable())) {
            assertThat(kinds(staged.scan(TokenRange.Linear.ALL)))
                    .containsEntry(FragmentKind.CLUSTERING_ROW, 4 * PARTITIONS);
        }
    }

    @Test
    void shouldWriteABoundedNumberOfSSTablesWhereThereAreMoreTimeWindows() throws IOException {
        createTables(WINDOWS);
        fill(100);

        repair();

        assertThat(stagedDays()).hasSize(32).contains(99L);
        try (SSTables staged = SSTables.open(stagedTable())) {
            assertThat(kinds(staged.scan(TokenRange.Linear.ALL)))
                    .containsEntry(FragmentKind.CLUSTERING_ROW, 100 * PARTITIONS);
        }
    }

    @Test
    void shouldLeaveNoFileNorDirectoryWhereNothingIsLacking() throws IOException {
        createTables(WINDOWS);
        fill(2);
        repair();
        try (Stream<Path> files = Files.walk(stagedTable())) {
            assertThat(files.filter(Files::isRegularFile)).isNotEmpty();
        }
        // As an import does it.
        Path data = owned().resolve("ks/t-11111111222233334444555555555555");
        try (Stream<Path> files = Files.list(stagedTable())) {
            for (Path file : files.toList()) {
                Files.move(file, data.resolve(file.getFileName()));
            }
        }
        Files.delete(stagedTable());
        Files.delete(stagedTable().getParent());
        List<Path> before = filesOf(to);

        RepairReport report = repair();

        assertThat(report.wereEqual()).isTrue();
        assertThat(report.replicas()).allMatch(replica -> replica.sstables().isEmpty());
        assertThat(stagedTable().getParent()).doesNotExist();
        assertThat(filesOf(to)).isEqualTo(before);
    }

    private static List<Path> filesOf(Store store) throws IOException {
        try (Stream<Path> files = Files.walk(store.directory())) {
            return files.sorted().toList();
        }
    }

    /** Two others have a part of the row each: what waits for import has all of it, once. */
    @Test
    void shouldMergeVersionsOfARowBeforeItIsWritten() throws IOException {
        createTables(WINDOWS);
        for (int k = 0; k < PARTITIONS; k++) {
            row(full, k, 1, "v", "old", FIRST_MICROS);
            row(full, k, 1, "w", "w", FIRST_MICROS + 1);
            row(empty, k, 1, "v", "new", FIRST_MICROS + 2);
        }

        RepairReport report = repair();

        assertThat(report.rowsDiffering()).isEqualTo(PARTITIONS);
        try (SSTables staged = SSTables.open(stagedTable())) {
            assertThat(staged.readers()).hasSize(1);
            try (SSTableReader reader = Formats.open(staged.readers().get(0).descriptor());
                    FragmentCursor rows = reader.scan(full.schema(), TokenRange.Linear.ALL)) {
                int count = 0;
                while (rows.advance() != null) {
                    if (rows.kind() == FragmentKind.CLUSTERING_ROW) {
                        assertThat(rows.row().entryCount()).isEqualTo(2);
                        assertThat(rows.row().timestampMicros(0)).isEqualTo(FIRST_MICROS + 2);
                        count++;
                    }
                }
                assertThat(count).isEqualTo(PARTITIONS);
            }
        }
    }

    /** Rows that a deletion of another replica kills stay where they are, and are written nowhere. */
    @Test
    void shouldMoveDeletionsAndNotTheRowsThatTheyKill() throws IOException {
        createTables(WINDOWS);
        for (int c = 0; c < 500; c++) {
            row(full, 1, c, "v", "killed by a partition's deletion", FIRST_MICROS);
            row(full, 2, c, "v", "killed by a range's deletion", FIRST_MICROS);
        }
        empty.row().key("k", 1).timestampMicros(FIRST_MICROS + 1).deletePartition();
        empty.rangeDeletion()
                .key("k", 2)
                .from("c", 0, true)
                .to("c", 500, false)
                .timestampMicros(FIRST_MICROS + 1)
                .delete();

        RepairReport report = repair(1 << 20);

        assertThat(report.rowsDiffering()).isZero();
        assertThat(report.deletionsDiffering()).isPositive();
        assertThat(report.itemBytes()).isLessThan(500);
        try (SSTables staged = SSTables.open(stagedTable())) {
            assertThat(kinds(staged.scan(TokenRange.Linear.ALL)))
                    .doesNotContainKey(FragmentKind.CLUSTERING_ROW)
                    .containsEntry(FragmentKind.PARTITION_START, 2);
        }
        assertThat(kinds(full.scan(TokenRange.Linear.ALL))).doesNotContainKey(FragmentKind.CLUSTERING_ROW);
    }
}
