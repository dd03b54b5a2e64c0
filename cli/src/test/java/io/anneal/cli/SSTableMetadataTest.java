package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SSTableMetadataTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private Path table;

    @BeforeEach
    void setUp() throws IOException {
        table = CommandRun.copyTable(directory.resolve("dropped"));
    }

    /** What depends on the time of asking, and what Cassandra prints in the order of a hash table. */
    private static boolean isFixed(String line) {
        return !line.startsWith("SSTable: ")
                && !line.startsWith("RegularColumns: ")
                && !line.startsWith("Estimated droppable tombstones: ");
    }

    @Test
    void shouldPrintWhatSSTableMetadataPrints() throws IOException {
        CommandRun run = CommandRun.of("sstable", "metadata", table.resolve("nb-1-big-Data.db"));
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        List<String> expected = Files.readAllLines(CommandRun.resource("dropped.metadata.txt"));
        assertThat(run.out().lines().filter(SSTableMetadataTest::isFixed))
                .containsExactlyElementsOf(
                        expected.stream().filter(SSTableMetadataTest::isFixed).toList());
        assertThat(run.out())
                .contains("RegularColumns: gone:org.apache.cassandra.db.marshal.UTF8Type, keep:")
                .contains("Estimated droppable tombstones: 0.0\n");
    }

    @Test
    void shouldPrintEverySSTableOfADirectory() {
        CommandRun run = CommandRun.of("sstable", "metadata", table);
        assertThat(run.out().lines().filter(l -> l.startsWith("SSTable: "))).hasSize(3);
    }

    @Test
    void shouldTellTheSameAsJson() throws IOException {
        CommandRun run = CommandRun.of("sstable", "metadata", "--json", table.resolve("nb-1-big-TOC.txt"));
        JsonNode result = JSON.readTree(run.out());
        assertThat(result.get("schema").asInt()).isEqualTo(1);
        JsonNode sstable = result.get("sstables").get(0);
        assertThat(sstable.get("version").asText()).isEqualTo("nb");
        assertThat(sstable.get("minTimestampMicros").asLong()).isEqualTo(1_795_225_095_184_505L);
        assertThat(sstable.get("maxLocalDeletionTimeSeconds").isNull()).isTrue();
        assertThat(sstable.get("firstKey").asText()).isEqualTo("0");
        assertThat(sstable.get("coveredClusterings").asText()).isEqualTo("[0, 3]");
        assertThat(sstable.get("rows").asLong()).isEqualTo(5);
        assertThat(sstable.get("cellsPerPartition").get(0).get("upTo").asLong()).isEqualTo(14);
        assertThat(sstable.get("header").get("staticColumns").get("gone_s").asText())
                .endsWith("Int32Type");
        assertThat(sstable.has("scan")).isFalse();
    }

    @Test
    void shouldCountWhatOnlyTheDataTells() throws IOException {
        Path data = table.resolve("nb-1-big-Data.db");
        JsonNode scan = JSON.readTree(CommandRun.of("sstable", "metadata", "--scan", "--json", data)
                        .out())
                .get("sstables")
                .get(0)
                .get("scan");
        assertThat(scan.get("partitions").asLong()).isEqualTo(1);
        assertThat(scan.get("rows").asLong()).isEqualTo(5);
        assertThat(scan.get("widestPartitions").get(0).get("rows").asLong()).isEqualTo(5);

        CommandRun text = CommandRun.of("sstable", "metadata", "--scan", data);
        assertThat(text.out())
                .contains("Partitions: 1\nRows: 5\n")
                .contains("Cells: " + scan.get("cells").asLong() + "\nWidest Partitions: \n  [0] 5\n");
    }

    @Test
    void shouldNameStatisticsThatAreWrong() throws IOException {
        CommandRun.corrupt(table.resolve("nb-1-big-Statistics.db"));
        CommandRun run = CommandRun.of("sstable", "metadata", table.resolve("nb-1-big-Data.db"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("ANL-1001").contains("nb-1-big-Statistics.db");
    }
}
