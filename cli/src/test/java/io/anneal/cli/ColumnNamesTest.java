package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.store.SSTableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of columns that need quotes, and SSTables whose columns an earlier release wrote in another order. */
class ColumnNamesTest {
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .id("919f8a5e-3f6f-419c-8b05-92c7d80573ff")
            .partitionKey("k", "int")
            .column("é", "int")
            .column("b", "int")
            .column("a\"b", "int")
            .column("select", "int")
            .column("Up = x", "int")
            .build();

    @TempDir
    private Path directory;

    private Path former;
    private Path right;

    @BeforeEach
    void write() throws IOException {
        former = write("former", SCHEMA.inFormerOrder());
        right = write("right", SCHEMA);
    }

    private Path write(String name, TableSchema schema) throws IOException {
        Path table = directory.resolve(name).resolve("ks/t-919f8a5e3f6f419c8b0592c7d80573ff");
        Files.createDirectories(table);
        Files.writeString(table.resolve("schema.cql"), SchemaText.print(SCHEMA));
        try (SSTableWriter writer = SSTableWriter.builder(schema)
                .to(directory.resolve("written-" + name))
                .unsorted(1 << 20)) {
            writer.row()
                    .key("k", 1)
                    .set("é", 111)
                    .set("b", 222)
                    .set("a\"b", 333)
                    .set("select", 444)
                    .set("Up = x", 555)
                    .timestampMicros(1)
                    .insert();
            for (Descriptor descriptor : writer.finish()) {
                for (Component component : Component.values()) {
                    if (descriptor.has(component)) {
                        Path file = descriptor.file(component);
                        Files.move(file, table.resolve(file.getFileName()));
                    }
                }
            }
        }
        return table;
    }

    private static CommandRun scan(Path table, String... more) {
        Object[] fixed = {"scan", "--quiet", "--data", table};
        return CommandRun.of(
                Stream.concat(Arrays.stream(fixed), Arrays.stream(more)).toArray());
    }

    @Test
    void shouldCallAnSSTableOfAnEarlierReleaseWrong() {
        CommandRun verify = CommandRun.of("sstable", "verify", former.toString());

        assertThat(verify.exitCode()).isEqualTo(1);
        assertThat(verify.out())
                .contains("wrong ", "nb-1-big: ANL-1013: columns are in the order of an earlier Anneal");
        assertThat(CommandRun.of("sstable", "verify", right.toString()).exitCode())
                .isZero();
    }

    @Test
    void shouldReadAnSSTableOfAnEarlierReleaseRight() {
        assertThat(scan(former).out()).isEqualTo(scan(right).out()).contains("\"é\":111,\"Up = x\":555");
        assertThat(CommandRun.of("sstable", "dump", former.toString()).out())
                .isEqualTo(CommandRun.of("sstable", "dump", right.toString()).out());
        assertThat(CommandRun.of("diff", former.toString(), right.toString()).exitCode())
                .isZero();
        assertThat(CommandRun.of("explain", "--dir", former.toString(), "ks.t", "1")
                        .out())
                .contains("111", "222");
    }

    @Test
    void shouldWriteItAnew() {
        for (String command : new String[] {"rewrite", "scrub"}) {
            Path to = directory.resolve(command);

            assertThat(CommandRun.of("sstable", command, former.toString(), "--to", to.toString())
                            .exitCode())
                    .isZero();

            Path written = to.resolve("ks/t");
            assertThat(CommandRun.of("sstable", "verify", written.toString()).exitCode())
                    .as(command)
                    .isZero();
            assertThat(CommandRun.of(
                                    "diff",
                                    written.toString(),
                                    right.toString(),
                                    "--schema",
                                    right.resolve("schema.cql").toString())
                            .exitCode())
                    .as(command)
                    .isZero();
        }
    }

    @Test
    void shouldTakeQuotedNamesInConditions() {
        for (Path table : new Path[] {former, right}) {
            for (String condition : new String[] {
                "\"é\" = 111", "b = 222", "\"a\"\"b\" = 333", "\"select\" = 444", "select = 444", "\"Up = x\" = 555"
            }) {
                assertThat(scan(table, "--where", condition, "--format", "count")
                                .out())
                        .as(condition)
                        .isEqualTo("1\n");
            }
            assertThat(scan(table, "--where", "\"é\" = 222", "--format", "count")
                            .out())
                    .isEqualTo("0\n");
        }
    }
}
