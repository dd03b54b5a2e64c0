package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.sstable.StagedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
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

    /** The latest last. */
    private List<Path> filters() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("store/data"))) {
            return files.filter(file -> file.toString().endsWith("-Filter.db"))
                    .sorted((left, right) -> Integer.compare(generation(left), generation(right)))
                    .toList();
        }
    }

    private static int generation(Path filter) {
        return Integer.parseInt(filter.getFileName().toString().split("-")[1]);
    }
}
