package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.anneal.key.TokenRange;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TableRowsTest {
    private static final String TEXT = "CREATE TYPE ks.address (street text, number int);\n"
            + "CREATE TABLE ks.people (a int, b text, at timestamp, shared text static, name text, tags set<text>,"
            + " list list<int>, props map<text, int>, home address, PRIMARY KEY ((a, b), at));";
    private static final TableSchema SCHEMA =
            CqlSchema.parse(TEXT, "test.cql").table("ks", "people").orElseThrow();
    private static final Instant AT = Instant.ofEpochMilli(1_700_000_000_123L);
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_100);

    @TempDir
    private Path directory;

    private interface Writing {
        void to(SSTableWriter writer) throws IOException;
    }

    private List<TableRow> rows(TokenRange range, Writing writing) throws IOException {
        try (SSTableWriter writer = SSTableWriter.builder(SCHEMA)
                .to(directory)
                .timestampMicros(1_700_000_000_000_000L)
                .unsorted(1 << 20)) {
            writing.to(writer);
            writer.finish();
        }
        Path table = directory.resolve("ks/people");
        Files.writeString(table.resolve("schema.cql"), TEXT);
        List<TableRow> rows = new ArrayList<>();
        try (SSTables sstables = SSTables.open(table);
                TableRows reader = sstables.rows(range, NOW)) {
            for (TableRow row = reader.next(); row != null; row = reader.next()) {
                rows.add(row);
            }
            assertThat(reader.next()).isNull();
        }
        return rows;
    }

    private static RowBuilder row(SSTableWriter writer, int a) {
        return writer.row().key("a", a).key("b", "x");
    }

    @Test
    void shouldReadWhatWasWritten() throws IOException {
        List<TableRow> rows = rows(TokenRange.FULL, writer -> {
            row(writer, 1)
                    .clustering("at", AT)
                    .set("name", "zoe")
                    .set("shared", "s")
                    .set("tags", Set.of("b", "a"))
                    .set("list", List.of(3, 1))
                    .set("props", Map.of("k", 1))
                    .set("home", Map.of("number", 7))
                    .ttlSeconds(1000)
                    .insert();
        });
        TableRow row = rows.get(0);
        assertThat(rows).hasSize(1);
        assertThat(row.values().keySet())
                .containsExactly("a", "b", "at", "shared", "name", "home", "list", "props", "tags");
        assertThat(row.value("a")).isEqualTo(1);
        assertThat(row.value("b", String.class)).isEqualTo("x");
        assertThat(row.value("at")).isEqualTo(AT);
        assertThat(row.value("shared")).isEqualTo("s");
        assertThat(row.value("tags")).hasToString("[a, b]");
        assertThat(row.value("list")).isEqualTo(List.of(3, 1));
        assertThat(row.value("props")).isEqualTo(Map.of("k", 1));
        assertThat(row.value("home")).hasToString("{street=null, number=7}");
        assertThat(row.writeTimeMicros("name")).hasValue(1_700_000_000_000_000L);
        assertThat(row.ttlSeconds("name")).hasValue(1000);
        assertThat(row.writeTimeMicros("tags")).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> row.value("nme")).withMessageContaining("column=nme");
    }

    @Test
    void shouldLeaveOutWhatIsDeletedOrExpired() throws IOException {
        List<TableRow> rows = rows(TokenRange.FULL, writer -> {
            row(writer, 1)
                    .clustering("at", AT)
                    .set("name", "old")
                    .ttlSeconds(100)
                    .insert();
            row(writer, 1)
                    .clustering("at", AT.plusMillis(1))
                    .set("name", "cell")
                    .ttlSeconds(100)
                    .update();
            row(writer, 1).clustering("at", AT.plusMillis(2)).insert();
            row(writer, 1).clustering("at", AT.plusMillis(2)).delete("name").update();
            row(writer, 1).clustering("at", AT.plusMillis(3)).deleteRow();
            row(writer, 2).set("shared", "alone").update();
            row(writer, 3).set("shared", "gone").ttlSeconds(1).update();
        });
        assertThat(rows)
                .extracting(row -> row.value("a") + " " + row.value("at") + " " + row.value("shared"))
                .containsExactlyInAnyOrder("1 " + AT.plusMillis(2) + " null", "2 null alone");
    }

    @Test
    void shouldReadARangeAroundTheRing() throws IOException {
        Writing many = writer -> {
            for (int a = 0; a < 100; a++) {
                row(writer, a).clustering("at", AT).insert();
            }
        };
        List<TableRow> all = rows(TokenRange.FULL, many);
        assertThat(all).hasSize(100);
        long middle = all.get(50).token();
        long late = all.get(90).token();
        List<TableRow> around = rows(new TokenRange(late, middle), writer -> {});
        assertThat(around).extracting(TableRow::token).hasSize(9 + 51).allMatch(t -> t <= middle || t > late);
    }
}
