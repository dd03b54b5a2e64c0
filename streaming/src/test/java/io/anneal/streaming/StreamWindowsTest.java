package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
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
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows of a table with time windows arrive in an SSTable a window, else none of them would expire as a whole. */
@Timeout(60)
class StreamWindowsTest {
    private static final long DAY_MICROS = TimeUnit.DAYS.toMicros(1);
    private static final long FIRST_MICROS = 20_000 * DAY_MICROS;
    private static final String SCHEMA = "CREATE TABLE ks.t (k int, c int, s text static, v text, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555 AND compaction = {'class':"
            + " 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'DAYS', 'compaction_window_size': '1'}";
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();

    /** Not all, so that rows go, not files. */
    private static final TokenRange MOST = new TokenRange(-8_000_000_000_000_000_000L, 8_000_000_000_000_000_000L);

    @TempDir
    private Path directory;

    private Store from;
    private Table source;
    private TestNode sourceNode;

    @BeforeEach
    void start() throws IOException {
        from = Store.open(directory.resolve("from"), StoreConfig.defaults().withShardCount(1));
        source = from.createTable(SCHEMA);
        sourceNode = TestNode.of(new StoreReplicas(from));
    }

    @AfterEach
    void stop() throws IOException {
        sourceNode.close();
        from.close();
    }

    /** Partitions with rows of every window, a static row, and deletions of each kind that lie in other windows than the rows. */
    private void fill(int windows) throws IOException {
        for (int k = 0; k < 50; k++) {
            for (int c = 0; c < windows; c++) {
                source.row()
                        .key("k", k)
                        .clustering("c", c)
                        .set("s", "s" + c)
                        .set("v", "v" + k)
                        .timestampMicros(FIRST_MICROS + c * DAY_MICROS + k)
                        .insert();
            }
            if (k % 3 == 0) {
                source.row()
                        .key("k", k)
                        .timestampMicros(FIRST_MICROS + DAY_MICROS / 2)
                        .deletePartition();
            }
            source.row()
                    .key("k", k)
                    .clustering("c", windows + 5)
                    .timestampMicros(FIRST_MICROS + 2 * DAY_MICROS)
                    .deleteRow();
            // One range deletion begins where another one ends, each in a window of its own.
            deleteRange(k, 100, 200, FIRST_MICROS + k % 2 * DAY_MICROS);
            deleteRange(k, 150, 300, FIRST_MICROS + DAY_MICROS);
        }
        source.flush();
    }

    private void deleteRange(int k, int first, int last, long timestampMicros) throws IOException {
        source.rangeDeletion()
                .key("k", k)
                .from("c", first, true)
                .to("c", last, false)
                .timestampMicros(timestampMicros)
                .delete();
    }

    private static List<String> fragments(FragmentCursor cursor) throws IOException {
        CanonicalEncoder encoder = new CanonicalEncoder(cursor.schema(), CanonicalEncoder.UNCLAMPED);
        List<String> texts = new ArrayList<>();
        try (cursor) {
            while (cursor.advance() != null) {
                ByteWriter out = new ByteWriter(256);
                switch (cursor.kind()) {
                    case PARTITION_START ->
                        encoder.partitionDeletion(
                                cursor.key(),
                                cursor.partitionDeletionTimestampMicros(),
                                cursor.partitionDeletionLocalTimeSeconds(),
                                out);
                    case STATIC_ROW, CLUSTERING_ROW -> encoder.row(cursor.key(), cursor.row(), out);
                    case RANGE_TOMBSTONE_CHANGE -> {
                        out.writeByte(cursor.rangeTombstoneChange().weight());
                        out.writeLong(cursor.rangeTombstoneChange().timestampMicros());
                    }
                    case PARTITION_END -> out.writeByte(0);
                }
                texts.add(cursor.kind() + " " + HexFormat.of().formatHex(out.toByteArray()));
            }
        }
        return texts;
    }

    /** SSTables by the window of their newest and that of their oldest write. */
    private static List<Long> windows(List<SSTableReader> readers) throws IOException {
        List<Long> windows = new ArrayList<>();
        for (SSTableReader reader : readers) {
            assertThat(reader.verify()).isEmpty();
            long newest = (reader.statistics().maxTimestampMicros() - FIRST_MICROS) / DAY_MICROS;
            assertThat(newest).isEqualTo((reader.statistics().minTimestampMicros() - FIRST_MICROS) / DAY_MICROS);
            windows.add(newest);
        }
        return windows;
    }

    /** Streams all to a directory beside Cassandra. */
    private StreamReport stage() throws IOException {
        Path owned = directory.resolve("owned");
        Path data = Files.createDirectories(owned.resolve("ks/t-11111111222233334444555555555555"));
        Files.writeString(data.resolve("schema.cql"), SCHEMA + ";");
        try (StagingArea staging =
                StagingArea.open(directory.resolve("staging"), owned.toString(), InstantSource.system())) {
            return StreamPlan.into(new CassandraReplicas(List.of(owned), Optional.empty(), Optional.of(staging)))
                    .add("ks.t", sourceNode.source(), MOST)
                    .run(ENVIRONMENT);
        }
    }

    @Test
    void shouldStageOneSSTableAWindowWhenRowsOfSeveralCome() throws IOException {
        fill(4);

        StreamReport report = stage();

        assertThat(report.rows()).isGreaterThan(150);
        try (SSTables staged = SSTables.open(directory.resolve("staging/ks/t"))) {
            assertThat(windows(staged.readers())).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
            assertThat(fragments(staged.scan(TokenRange.Linear.ALL)))
                    .isEqualTo(fragments(source.scan(MOST.unwrap().get(0))))
                    .hasSizeGreaterThan(300);
        }
    }

    @Test
    void shouldTakeOneSSTableAWindowIntoAStore() throws IOException {
        fill(4);
        try (Store to = Store.open(directory.resolve("to"))) {
            Table target = to.createTable(SCHEMA);

            StreamPlan.into(new StoreReplicas(to))
                    .add("ks.t", sourceNode.source(), MOST)
                    .run(ENVIRONMENT);

            assertThat(fragments(target.scan(TokenRange.Linear.ALL)))
                    .isEqualTo(fragments(source.scan(MOST.unwrap().get(0))));
            try (LiveFiles files = target.liveFiles()) {
                List<SSTableReader> readers = new ArrayList<>();
                for (LiveFiles.PinnedSSTable sstable : files.sstables()) {
                    readers.add(Formats.open(sstable.descriptor()));
                }
                assertThat(windows(readers)).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
                for (SSTableReader reader : readers) {
                    reader.close();
                }
            }
        }
    }

    /** Else a table of thousands of windows would hold as many files open. */
    @Test
    void shouldWriteABoundedNumberOfSSTablesWhenThereAreMoreWindows() throws IOException {
        fill(100);

        stage();

        try (SSTables staged = SSTables.open(directory.resolve("staging/ks/t"))) {
            assertThat(staged.readers()).hasSize(32);
            assertThat(fragments(staged.scan(TokenRange.Linear.ALL)))
                    .isEqualTo(fragments(source.scan(MOST.unwrap().get(0))));
        }
    }
}
