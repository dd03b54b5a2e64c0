package io.anneal.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.StagedSSTable;
import io.anneal.store.SSTableWriter;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An SSTable is there whole or not at all, whenever the power is cut; and there it is once it is finished. */
class SSTableWriterCrashTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final int ROWS = 100;
    private static final int SEEDS = 2;
    private static final TableSchema SCHEMA = CqlSchema.parse(
                    "CREATE TABLE ks.t (id int, at int, name text, PRIMARY KEY (id, at));", "test")
            .table("ks", "t")
            .orElseThrow();

    @TempDir
    private Path temporary;

    private static Fault whenSomethingChanges() {
        return Fault.on(
                Operation.CREATE, Operation.WRITE, Operation.FORCE, Operation.RENAME, Operation.DELETE, Operation.LINK);
    }

    private FaultyDirectory directoryOfTable() throws IOException {
        FaultyDirectory directory = FaultyDirectory.create(temporary);
        Path table = Files.createDirectories(tableDirectory(directory));
        for (Path above = table; above != null; above = above.getParent()) {
            try (FileChannel channel = FileChannel.open(above, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
        return directory;
    }

    private static Path tableDirectory(FaultyDirectory directory) {
        return directory.path().resolve(SCHEMA.keyspace()).resolve(SCHEMA.name());
    }

    private static void write(Path directory, SSTableVersion version) throws IOException {
        try (SSTableWriter writer =
                SSTableWriter.builder(SCHEMA).to(directory).format(version).unsorted(1 << 20)) {
            for (int i = 0; i < ROWS; i++) {
                writer.row()
                        .key("id", i / 10)
                        .clustering("at", i % 10)
                        .set("name", "name " + i)
                        .timestampMicros(i)
                        .insert();
            }
            writer.finish();
        }
    }

    /** The rows of the SSTable that the next machine finds, if it finds any. */
    private static Optional<Integer> rows(Path directory) throws IOException {
        List<Descriptor> found;
        try (StagingDirectory staging = StagingDirectory.open(directory);
                SSTableWriter sweeping =
                        SSTableWriter.builder(SCHEMA).to(staging).unsorted(1 << 20)) {
            sweeping.finish();
            StagedSSTable.sweep(staging.tableDirectory(SCHEMA));
            found = staging.sstables(SCHEMA);
        }
        try (var files = Files.list(directory.resolve(SCHEMA.keyspace()).resolve(SCHEMA.name()))) {
            assertThat(files.count() == 0).as("files without an SSTable").isEqualTo(found.isEmpty());
        }
        if (found.isEmpty()) {
            return Optional.empty();
        }
        assertThat(found).hasSize(1);
        int rows = 0;
        try (SSTableReader reader = Formats.open(found.get(0));
                FragmentCursor cursor = reader.scan(SCHEMA, TokenRange.Linear.ALL)) {
            reader.verify();
            while (cursor.advance() != null) {
                rows += cursor.kind() == FragmentKind.CLUSTERING_ROW ? 1 : 0;
            }
        }
        return Optional.of(rows);
    }

    @ParameterizedTest
    @EnumSource(names = {"NB", "DA"})
    void shouldBeWholeOrAbsentWheneverThePowerIsCut(SSTableVersion version) throws IOException {
        int whole = 0;
        int absent = 0;
        int cuts = 0;
        boolean cut = true;
        while (cut) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
                try (FaultyDirectory directory = directoryOfTable()) {
                    directory.inject(whenSomethingChanges().after(cuts).times(1).cuttingPower(seed));
                    Path path = directory.path();
                    try {
                        write(path, version);
                    } catch (IOException e) {
                        assertThat(directory.path()).as(e.toString()).isNotEqualTo(path);
                    }
                    cut = !directory.path().equals(path);
                    directory.heal();
                    if (!cut) {
                        directory.crash();
                    }
                    Optional<Integer> rows = rows(directory.path());
                    assertThat(rows.orElse(ROWS))
                            .as("cut=%d, seed=%d", cuts, seed)
                            .isEqualTo(ROWS);
                    assertThat(cut || rows.isPresent()).as("finished").isTrue();
                    whole += rows.isPresent() ? 1 : 0;
                    absent += rows.isPresent() ? 0 : 1;
                }
            }
            cuts++;
        }
        assertThat(cuts).isGreaterThan(30);
        assertThat(whole).isGreaterThan(SEEDS);
        assertThat(absent).isGreaterThan(SEEDS);
    }
}
