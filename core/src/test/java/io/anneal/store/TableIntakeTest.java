package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.sstable.StagedWriter;
import io.anneal.table.TableTruncatedException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableIntakeTest {
    private static final int PARTITIONS = 300_000;
    private static final int BITS_PER_PARTITION_MIN = 8;

    @TempDir
    private Path directory;

    @Test
    void shouldGiveWhatALargeTableReceivesAFilterThatIsLargeEnough() throws IOException {
        try (Store store = Store.open(directory.resolve("store"))) {
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY)");
            try (SSTableWriter writer = SSTableWriter.builder(table.schema())
                    .to(directory.resolve("files"))
                    .timestampMicros(1)
                    .unsorted(64 << 20)) {
                for (int k = 0; k < PARTITIONS; k++) {
                    writer.row().key("k", k).insert();
                }
                writer.finish();
            }
            table.importSSTables(directory.resolve("files/ks/t"));

            try (TableIntake intake = table.intake()) {
                try (StagedWriter writer = intake.newWriter();
                        FragmentCursor rows = table.scan(TokenRange.Linear.ALL)) {
                    writer.append(rows);
                    writer.finish();
                }
                intake.complete();
            }

            List<Path> filters = filters();
            assertThat(filters).hasSizeGreaterThan(1);
            assertThat(filters)
                    .last()
                    .satisfies(filter -> assertThat(8 * Files.size(filter))
                            .isGreaterThan((long) BITS_PER_PARTITION_MIN * PARTITIONS));
        }
    }

    @Test
    void shouldTakeInWhatWasReceivedWhenTheStoreWasOpenedByARelativePath() throws IOException {
        Path relative = Path.of("")
                .toAbsolutePath()
                .relativize(directory.toAbsolutePath().resolve("store"));
        try (Store other = Store.open(directory.resolve("source"));
                Store store = Store.open(relative)) {
            Table source = source(other);
            Table table = store.createTable(SCHEMA);
            try (TableIntake intake = table.intake()) {
                try (StagedWriter writer = intake.newWriter();
                        FragmentCursor rows = source.scan(TokenRange.Linear.ALL)) {
                    writer.append(rows);
                    writer.finish();
                }
                intake.complete();
            }

            assertThat(table.row(Map.of("k", 3))).isPresent();
        }
    }

    /** How far an intake is when its table is taken from under it. */
    private enum Step {
        MADE,
        WRITER,
        WRITING,
        WRITTEN
    }

    /** What happens to the table. */
    private interface Event {
        void happen(Store store) throws IOException;
    }

    private static final String SCHEMA =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-3333-4444-555555555555";

    private static void receive(Table source, Store store, Step when, Event event) throws IOException {
        try (TableIntake intake = store.table("ks.t").intake()) {
            happen(Step.MADE, when, store, event);
            try (StagedWriter writer = intake.newWriter();
                    FragmentCursor rows = source.scan(TokenRange.Linear.ALL)) {
                happen(Step.WRITER, when, store, event);
                for (int fragment = 0; rows.advance() != null; fragment++) {
                    writer.appendCurrent(rows);
                    if (fragment == 1) {
                        happen(Step.WRITING, when, store, event);
                    }
                }
                writer.finish();
            }
            happen(Step.WRITTEN, when, store, event);
            intake.complete();
        }
    }

    private static void happen(Step now, Step when, Store store, Event event) throws IOException {
        if (now == when) {
            event.happen(store);
        }
    }

    private Table source(Store store) throws IOException {
        Table table = store.createTable(SCHEMA);
        for (int k = 0; k < 10; k++) {
            table.row().key("k", k).set("v", "v" + k).insert();
        }
        return table;
    }

    private static List<Path> under(Path root, String name) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root.resolve("data"), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return visitFile(directory, attributes);
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().contains(name)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            /** An open store replaces its manifests, and deletes what it has compacted, whenever its threads come to it. */
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return found;
    }

    private static List<Path> received(Path root) throws IOException {
        return under(root, "/receiving/");
    }

    @Test
    void shouldStayDroppedWhenTableIsDroppedAtAnyStepOfAnIntake() throws IOException {
        try (Store other = Store.open(directory.resolve("source"))) {
            Table source = source(other);
            for (Step step : Step.values()) {
                Path root = directory.resolve("drop-" + step);
                try (Store store = Store.open(root)) {
                    store.createTable(SCHEMA);

                    assertThatThrownBy(() -> receive(source, store, step, its -> its.dropTable("ks.t")))
                            .as("%s", step)
                            .isInstanceOf(Exception.class);

                    assertThat(under(root, "/t-")).as("%s", step).isEmpty();
                    store.createTable(SCHEMA);
                    store.dropTable("ks.t");
                }
                try (Store again = Store.open(root)) {
                    assertThat(again.unreadable()).as("%s", step).isEmpty();
                    assertThat(again.tables()).as("%s", step).isEmpty();
                    again.createTable(SCHEMA);
                }
            }
        }
    }

    @Test
    void shouldNotTouchTableThatWasMadeAnewWhenItsOwnWasDropped() throws IOException {
        try (Store other = Store.open(directory.resolve("source"))) {
            Table source = source(other);
            for (Step step : Step.values()) {
                Path root = directory.resolve("anew-" + step);
                try (Store store = Store.open(root)) {
                    store.createTable(SCHEMA);

                    assertThatThrownBy(() -> receive(source, store, step, its -> {
                                its.dropTable("ks.t");
                                its.createTable(SCHEMA);
                            }))
                            .as("%s", step)
                            .isInstanceOf(Exception.class);

                    assertThat(received(root)).as("%s", step).isEmpty();
                    assertThat(store.table("ks.t").sstableCount())
                            .as("%s", step)
                            .isZero();
                }
            }
        }
    }

    @Test
    void shouldTakeNothingInWhenTableIsTruncatedAtAnyStepOfAnIntake() throws IOException {
        try (Store other = Store.open(directory.resolve("source"))) {
            Table source = source(other);
            for (Step step : Step.values()) {
                Path root = directory.resolve("truncate-" + step);
                try (Store store = Store.open(root)) {
                    Table table = store.createTable(SCHEMA);

                    assertThatThrownBy(() -> receive(source, store, step, its -> table.truncate()))
                            .as("%s", step)
                            .isInstanceOf(TableTruncatedException.class)
                            .hasMessageContaining("begin again")
                            .hasMessageContaining("table=ks.t");

                    assertThat(table.sstableCount()).as("%s", step).isZero();
                    assertThat(received(root)).as("%s", step).isEmpty();

                    receive(source, store, step, its -> {});
                    assertThat(table.sstableCount())
                            .as("one that begins after it, %s", step)
                            .isOne();
                }
            }
        }
    }

    @Test
    void shouldTakeInWhatFitsAndNothingElseWhenTableIsAlteredAtAnyStepOfAnIntake() throws IOException {
        try (Store other = Store.open(directory.resolve("source"))) {
            Table source = source(other);
            for (Step step : Step.values()) {
                Path root = directory.resolve("alter-" + step);
                try (Store store = Store.open(root)) {
                    Table table = store.createTable(SCHEMA);

                    receive(source, store, step, its -> its.alterTable("ALTER TABLE ks.t ADD w int"));

                    try (TableRows rows = table.rows()) {
                        assertThat(rows.stream().count()).as("%s", step).isEqualTo(10);
                    }
                    assertThat(received(root)).as("%s", step).isEmpty();
                }
            }
        }
    }

    @Test
    void shouldLeaveNothingWhenStoreIsClosedAtAnyStepOfAnIntake() throws IOException {
        try (Store other = Store.open(directory.resolve("source"))) {
            Table source = source(other);
            for (Step step : Step.values()) {
                Path root = directory.resolve("close-" + step);
                Store store = Store.open(root);
                store.createTable(SCHEMA);

                assertThatThrownBy(() -> receive(source, store, step, Store::close))
                        .as("%s", step)
                        .isInstanceOf(IllegalStateException.class);

                assertThat(received(root)).as("%s", step).isEmpty();
                try (Store again = Store.open(root)) {
                    assertThat(again.table("ks.t").sstableCount())
                            .as("%s", step)
                            .isZero();
                }
            }
        }
    }

    @Test
    void shouldRemoveWhatIsLeftOfDroppedTableWhenStoreIsOpened() throws IOException {
        Path root = directory.resolve("ghost");
        Path tableDirectory;
        try (Store store = Store.open(root)) {
            store.createTable(SCHEMA);
            tableDirectory = under(root, "/t-").get(0);
            store.dropTable("ks.t");
        }
        Files.createDirectories(tableDirectory.resolve("receiving/one"));

        try (Store store = Store.open(root)) {
            assertThat(store.unreadable()).isEmpty();
            assertThat(tableDirectory).doesNotExist();
            store.createTable(SCHEMA);
        }
    }

    /** The latest last. */
    private List<Path> filters() throws IOException {
        return under(directory.resolve("store"), "-Filter.db").stream()
                // A compaction may be writing one.
                .filter(filter -> !filter.getFileName().toString().startsWith("."))
                .sorted((left, right) -> Integer.compare(generation(left), generation(right)))
                .toList();
    }

    private static int generation(Path filter) {
        return Integer.parseInt(filter.getFileName().toString().split("-")[1]);
    }
}
