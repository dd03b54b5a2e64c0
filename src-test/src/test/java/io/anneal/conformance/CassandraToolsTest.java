package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.measure.Rows;
import io.anneal.bench.peer.CassandraPeerException;
import io.anneal.bench.peer.CassandraTools;
import io.anneal.bench.peer.PeerRun;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.schema.SchemaText;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What benchmarks compare with does what it is measured for: the same rows, read and written by Cassandra's own code. */
final class CassandraToolsTest {
    private static final int ROWS = 2_000;
    private static final int PARTS = 4;

    @TempDir
    private static Path home;

    private static CassandraTools tools;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        tools = CassandraTools.start(Peers.shortLived(home.resolve("peer")));
    }

    @AfterAll
    static void stop() {
        tools.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadEveryRow(TableShape shape) throws IOException {
        try (GeneratedTable table = GeneratedTable.write(shape, ROWS, 1)) {
            PeerRun run = tools.scan(SchemaText.print(table.schema()), data(table));

            assertThat(run.rows()).isEqualTo(ROWS);
            assertThat(run.wallNanos()).isPositive();
            assertThat(run.cpuNanos()).isPositive();
            assertThat(run.allocatedBytes()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldMergeSSTablesThatOverlap(TableShape shape) throws IOException {
        try (GeneratedTable table = GeneratedTable.write(shape, ROWS, PARTS)) {
            assertThat(tools.scan(SchemaText.print(table.schema()), data(table)).rows())
                    .isEqualTo(ROWS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldWriteTheSameRowsAsTheSourceHolds(TableShape shape) throws IOException {
        try (GeneratedTable table = GeneratedTable.write(shape, ROWS, 1);
                TemporaryDirectory target = table.directory().createInside("written")) {
            PeerRun run =
                    tools.write(SchemaText.print(table.schema()), data(table).get(0), target.path());

            assertThat(run.rows()).isEqualTo(ROWS);
            try (SSTableReader written = Formats.open(onlySSTable(target.path()));
                    FragmentCursor cursor = written.scan(table.schema(), TokenRange.Linear.ALL);
                    FragmentCursor source = table.scan()) {
                assertThat(Rows.read(cursor, ROWS)).isEqualTo(Rows.read(source, ROWS));
            }
        }
    }

    @Test
    void shouldSayWhyItCannotReadAndGoOn() throws IOException {
        try (GeneratedTable table = GeneratedTable.write(TableShape.SMALL_ROWS, ROWS, 1)) {
            String createTable = SchemaText.print(table.schema());
            assertThatThrownBy(() -> tools.scan(createTable, List.of(directory.resolve("nb-1-big-Data.db"))))
                    .isInstanceOf(CassandraPeerException.class)
                    .hasMessageContaining("operation=SCAN");
            assertThatThrownBy(() -> tools.scan("CREATE NOTHING", data(table)))
                    .isInstanceOf(CassandraPeerException.class)
                    .hasMessageContaining("SyntaxException");
            assertThat(tools.scan(createTable, data(table)).rows()).isEqualTo(ROWS);
        }
    }

    private static List<Path> data(GeneratedTable table) {
        return table.readers().stream()
                .map(reader -> reader.descriptor().file(Component.DATA))
                .toList();
    }

    private static Descriptor onlySSTable(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            List<Descriptor> descriptors = files.filter(file -> file.toString().endsWith("-Data.db"))
                    .map(file -> Descriptor.of(file).orElseThrow())
                    .toList();
            assertThat(descriptors).hasSize(1);
            return descriptors.get(0);
        }
    }
}
