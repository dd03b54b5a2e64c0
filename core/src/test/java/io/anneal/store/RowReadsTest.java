package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of partitions and rows by Java values, over two SSTables. */
final class RowReadsTest {
    private static final String TEXT = "CREATE TABLE ks.t (a int, b text, c int, d int, v text, s text static,"
            + " PRIMARY KEY ((a, b), c, d)) WITH CLUSTERING ORDER BY (c ASC, d DESC)";
    private static final TableSchema SCHEMA =
            CqlSchema.parse(TEXT, "test.cql").table("ks", "t").orElseThrow();
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_100);

    @TempDir
    private Path directory;

    private SSTables table;

    private interface Writing {
        void to(SSTableWriter writer) throws IOException;
    }

    private void write(long micros, Writing writing) throws IOException {
        try (SSTableWriter writer = SSTableWriter.builder(SCHEMA)
                .to(directory)
                .timestampMicros(micros)
                .unsorted(1 << 20)) {
            writing.to(writer);
            writer.finish();
        }
    }

    private static RowBuilder row(SSTableWriter writer, int a, int c, int d) {
        return writer.row().key("a", a).key("b", "x").clustering("c", c).clustering("d", d);
    }

    /** Rows 1/1 to 3/3 of partition 1; row 2/2 is deleted, and 3/3 written again. Partition 2 has static values only. */
    @BeforeEach
    void writeTable() throws IOException {
        write(1_700_000_000_000_000L, writer -> {
            for (int c = 1; c <= 3; c++) {
                for (int d = 1; d <= 3; d++) {
                    row(writer, 1, c, d).set("v", "old").insert();
                }
            }
            writer.row().key("a", 1).key("b", "x").set("s", "one").update();
            writer.row().key("a", 2).key("b", "x").set("s", "two").update();
        });
        write(1_700_000_000_000_001L, writer -> {
            row(writer, 1, 2, 2).deleteRow();
            row(writer, 1, 3, 3).set("v", "new").update();
        });
        Path tableDirectory = directory.resolve("ks/t");
        Files.writeString(tableDirectory.resolve("schema.cql"), TEXT);
        table = SSTables.open(tableDirectory);
    }

    @AfterEach
    void closeTable() throws IOException {
        table.close();
    }

    private List<String> partition(RowRange range, Object... key) throws IOException {
        List<String> rows = new ArrayList<>();
        try (TableRows reader = table.partition(range, NOW, key)) {
            for (TableRow row = reader.next(); row != null; row = reader.next()) {
                rows.add(row.value("c") + "/" + row.value("d"));
            }
        }
        return rows;
    }

    @Test
    void shouldReadAPartitionInOrderAndInReverse() throws IOException {
        assertThat(partition(RowRange.ALL, 1, "x"))
                .containsExactly("1/3", "1/2", "1/1", "2/3", "2/1", "3/3", "3/2", "3/1");
        assertThat(partition(RowRange.ALL.reversed(), 1, "x"))
                .containsExactly("3/1", "3/2", "3/3", "2/1", "2/3", "1/1", "1/2", "1/3");
        assertThat(partition(RowRange.ALL, 9, "x")).isEmpty();
    }

    @Test
    void shouldReadBetweenBounds() throws IOException {
        assertThat(partition(RowRange.of(2), 1, "x")).containsExactly("2/3", "2/1");
        assertThat(partition(RowRange.of(2, 3), 1, "x")).containsExactly("2/3");
        assertThat(partition(RowRange.from(2, 1), 1, "x")).containsExactly("2/1", "3/3", "3/2", "3/1");
        assertThat(partition(RowRange.after(2), 1, "x")).containsExactly("3/3", "3/2", "3/1");
        assertThat(partition(RowRange.ALL.before(2), 1, "x")).containsExactly("1/3", "1/2", "1/1");
        assertThat(partition(RowRange.from(1, 2).before(2, 1), 1, "x")).containsExactly("1/2", "1/1", "2/3");
        assertThat(partition(RowRange.from(1, 2).through(2, 1).reversed(), 1, "x"))
                .containsExactly("2/1", "2/3", "1/1", "1/2");
        assertThat(partition(RowRange.from(3).before(2), 1, "x")).isEmpty();
    }

    @Test
    void shouldCountRowsThatExistAgainstTheLimit() throws IOException {
        assertThat(partition(RowRange.of(2).limit(2), 1, "x")).containsExactly("2/3", "2/1");
        assertThat(partition(RowRange.ALL.reversed().limit(1), 1, "x")).containsExactly("3/1");
        assertThat(partition(RowRange.ALL.limit(0), 1, "x")).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> RowRange.ALL.limit(-1));
    }

    @Test
    void shouldGiveStaticValuesAloneOnlyToThoseWhoAskForThePartition() throws IOException {
        assertThat(partition(RowRange.ALL, 2, "x")).containsExactly("null/null");
        assertThat(partition(RowRange.ALL.reversed(), 2, "x")).containsExactly("null/null");
        assertThat(partition(RowRange.from(0), 2, "x")).isEmpty();
    }

    @Test
    void shouldReadARowByItsKey() throws IOException {
        TableRow row = table.row(Map.of("a", 1, "b", "x", "c", 3, "d", 3), NOW).orElseThrow();
        assertThat(row.value("v")).isEqualTo("new");
        assertThat(row.value("s")).isEqualTo("one");
        assertThat(table.row(Map.of("a", 1, "b", "x", "c", 2, "d", 2), NOW)).isEmpty();
        assertThat(table.row(Map.of("a", 2, "b", "x", "c", 1, "d", 1), NOW)).isEmpty();
    }

    @Test
    void shouldReadStaticValuesByThePartitionsKey() throws IOException {
        Optional<TableRow> partition = table.row(Map.of("a", 1, "b", "x"), NOW);
        assertThat(partition.orElseThrow().value("s")).isEqualTo("one");
        assertThat(partition.orElseThrow().value("c")).isNull();
        assertThat(table.row(Map.of("a", 9, "b", "x"), NOW)).isEmpty();
    }

    @Test
    void shouldNameWhatDoesNotFit() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.partition(RowRange.ALL, NOW, 1))
                .withMessageContaining("columns=[a, b], values=1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.partition(RowRange.ALL, NOW, 1, "x", 2))
                .withMessageContaining("values=3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.partition(RowRange.ALL, NOW, "1", "x"))
                .withMessageContaining("column=a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.partition(RowRange.of(1, 2, 3), NOW, 1, "x"))
                .withMessageContaining("columns=[c, d], values=3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.partition(RowRange.of(1, null), NOW, 1, "x"))
                .withMessageContaining("column=d");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.row(Map.of("a", 1, "b", "x", "v", "new"), NOW))
                .withMessageContaining("column=v");
        assertThatIllegalStateException()
                .isThrownBy(() -> table.row(Map.of("a", 1, "b", "x", "c", 1), NOW))
                .withMessageContaining("column=d");
    }
}
