package io.anneal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableSourceTest {
    private static final String TYPE = "CREATE TYPE ks.point (x int, y int);\n";
    private static final String TABLE =
            "CREATE TABLE ks.t (id int PRIMARY KEY, path frozen<list<frozen<tuple<point, text>>>>);\n";

    @TempDir
    private Path directory;

    private Path write() throws IOException {
        TableSchema schema =
                CqlSchema.parse(TYPE + TABLE, "test").table("ks", "t").orElseThrow();
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(directory).timestampMicros(1).sorted()) {
            writer.insert(Map.of("id", 7), 1);
            return writer.finish().get(0).directory();
        }
    }

    /** As a snapshot of Cassandra 5.0 has it: without the types that only stand inside others. */
    @Test
    void shouldTakeTypesThatTheTextLacksFromTheHeaders() throws IOException {
        Path table = write();
        Files.writeString(table.resolve("schema.cql"), TABLE);
        TableSource source = TableSource.of(List.of(table), Optional.empty());
        assertThat(source.schemaText()
                        .orElseThrow()
                        .column("path")
                        .orElseThrow()
                        .type()
                        .cqlName())
                .contains("point");
        try (SSTables sstables = SSTables.open(source)) {
            assertThat(sstables.hasSchemaText()).isTrue();
        }
    }

    @Test
    void shouldNameTheTypeThatNobodyKnows() throws IOException {
        Path table = write();
        Files.writeString(table.resolve("schema.cql"), TABLE.replace("point", "line"));
        assertThatThrownBy(() -> TableSource.of(List.of(table), Optional.empty()))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("line");
    }
}
