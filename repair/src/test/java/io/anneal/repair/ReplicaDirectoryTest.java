package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.StagedWriter;
import io.anneal.store.StagingDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaDirectoryTest {
    private static final DecoratedKey KEY = HandMadeTable.keys(1).get(0);
    private static final String SCHEMA_TEXT =
            "CREATE TABLE ks.t (k blob, c1 int, c2 int, s blob static, v blob, w blob, PRIMARY KEY (k, c1, c2));";

    @TempDir
    private Path directory;

    /** What is logged when a table is opened whose one SSTable has this {@code repairedAt}. */
    private String logOfOpening(long repairedAtMillis) throws IOException {
        TableSchema schema = HandMadeTable.schema(10);
        Path schemaFile = directory.resolve("schema.cql");
        Files.writeString(schemaFile, SCHEMA_TEXT);
        try (StagingDirectory data = StagingDirectory.open(directory.resolve("data"))) {
            SSTableWriterConfig plain = SSTableWriterConfig.defaults(10);
            SSTableWriterConfig config = new SSTableWriterConfig(
                    plain.compression(),
                    plain.chunkLengthBytes(),
                    plain.columnIndexSizeBytes(),
                    plain.expectedPartitions(),
                    plain.level(),
                    repairedAtMillis);
            FragmentList rows = FragmentList.builder(schema)
                    .partition(KEY)
                    .row(HandMadeTable.row(1, 1).live(5).build())
                    .end()
                    .build();
            try (StagedWriter writer = new StagedWriter(data, schema, config, StagedWriter.SIZE_LIMIT_DEFAULT_BYTES)) {
                writer.append(rows.cursor());
                writer.finish();
            }
            Path written = data.tableDirectory(schema);
            Files.move(written, written.resolveSibling("t-0123456789abcdef0123456789abcdef"));
        }
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try (ReplicaTable table = new ReplicaDirectory(
                        List.of(directory.resolve("data")), Optional.of(schemaFile), Optional.empty())
                .open("ks", "t")) {
            assertThat(table.sstableCount()).isEqualTo(1);
        } finally {
            System.setErr(before);
        }
        return log.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldWarnWhenTableIsUnderIncrementalRepair() throws IOException {
        assertThat(logOfOpening(1_700_000_000_000L))
                .contains("incremental repair")
                .contains("table=ks.t")
                .contains("repairedSSTables=1")
                .contains("sstables=1");
    }

    @Test
    void shouldNotWarnWhenNothingWasRepairedIncrementally() throws IOException {
        assertThat(logOfOpening(0)).doesNotContain("incremental repair");
    }
}
