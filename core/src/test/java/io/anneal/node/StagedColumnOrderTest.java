package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FormerColumnOrderException;
import io.anneal.store.SSTableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an earlier release received, and this one would bring to where Cassandra imports it. */
class StagedColumnOrderTest {
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .partitionKey("k", "int")
            .column("é", "int")
            .column("b", "int")
            .build();

    @TempDir
    private Path directory;

    private List<Descriptor> received(String name, TableSchema schema) throws IOException {
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(directory.resolve(name)).unsorted(1 << 20)) {
            writer.row().key("k", 1).set("é", 2).set("b", 3).timestampMicros(4).insert();
            return writer.finish();
        }
    }

    @Test
    void shouldBringNothingToImportWhoseColumnsCassandraWouldMixUp() throws IOException {
        List<Descriptor> former = received("former", SCHEMA.inFormerOrder());
        List<Descriptor> right = received("right", SCHEMA);
        try (StagingArea area = StagingArea.open(directory.resolve("staging"), "replica", () -> Instant.EPOCH)) {
            StagingFile.Run run = new StagingFile.Run(new UUID(1, 1), "ks", "t", Optional.empty(), Long.MAX_VALUE);

            assertThatThrownBy(() -> area.link(run, SCHEMA, former))
                    .isInstanceOf(FormerColumnOrderException.class)
                    .hasMessageContaining("columns are in the order of an earlier Anneal")
                    .hasMessageContaining(former.get(0).baseName());
            assertThat(area.link(run, SCHEMA, right)).hasSize(1);
        }
    }
}
