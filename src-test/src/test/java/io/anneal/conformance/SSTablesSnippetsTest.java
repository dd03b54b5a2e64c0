package io.anneal.conformance;

import static io.anneal.sstable.SSTableVersion.NB;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.key.TokenRange;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.store.RowRange;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of {@code docs/sstables.md}: they compile, they run, and the page quotes them as they stand here. */
class SSTablesSnippetsTest {
    private static final String TEXT = "CREATE TABLE shop.orders (customer int, placed timestamp, item text,"
            + " tags set<text>, name text static, PRIMARY KEY (customer, placed));";

    @TempDir
    private Path directory;

    private static List<String> read(Path directory) throws IOException {
        List<String> lines = new ArrayList<>();
        // snippet: read
        try (SSTables table = SSTables.open(directory);
                TableRows rows = table.rows(TokenRange.FULL, Instant.now())) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                int customer = row.getInt("customer");
                Set<String> tags = row.getSet("tags", String.class);
                lines.add(customer + " bought " + row.getString("item") + " " + tags);
            }
        }
        // end
        return lines;
    }

    private static List<String> readOne(Path directory, Instant day) throws IOException {
        List<String> lines = new ArrayList<>();
        // snippet: partition
        try (SSTables table = SSTables.open(directory)) {
            RowRange latest = RowRange.from(day).reversed().limit(10);
            try (TableRows rows = table.partition(latest, Instant.now(), 7)) {
                for (TableRow row = rows.next(); row != null; row = rows.next()) {
                    lines.add(row.getInstant("placed") + " " + row.getString("item"));
                }
            }
            Optional<TableRow> one = table.row(Map.of("customer", 7, "placed", day), Instant.now());
            one.ifPresent(row -> lines.add("one " + row.getString("item")));
        }
        // end
        return lines;
    }

    private static TableSchema build() {
        // snippet: builder
        TableSchema orders = TableSchema.builder("shop", "orders")
                .partitionKey("customer", "int")
                .clustering("placed", "timestamp")
                .column("item", "text")
                .column("tags", "set<text>")
                .staticColumn("name", "text")
                .build();
        // end
        return orders;
    }

    private static long count(Path directory, long left, long right) throws IOException {
        // snippet: range
        long count = 0;
        try (SSTables table = SSTables.open(directory);
                TableRows rows = table.rows(new TokenRange(left, right), Instant.now())) {
            while (rows.next() != null) {
                count++;
            }
        }
        // end
        return count;
    }

    private static List<Descriptor> write(TableSchema schema, Path directory) throws IOException {
        // snippet: write
        List<Descriptor> written;
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(directory).format(NB).unsorted(256 << 20)) {
            for (int customer = 0; customer < 1000; customer++) {
                writer.row()
                        .key("customer", customer)
                        .clustering("placed", Instant.parse("2026-11-21T10:15:30Z"))
                        .set("item", "bread")
                        .set("tags", Set.of("white", "fresh"))
                        .timestampMicros(1_795_000_000_000_000L)
                        .insert();
            }
            written = writer.finish();
        }
        // end
        return written;
    }

    private static void describe(TableSchema schema, List<Descriptor> written) throws IOException {
        // snippet: text
        Path table = written.get(0).directory();
        Files.writeString(table.resolve("schema.cql"), SchemaText.print(schema));
        // end
    }

    private static List<String> readBy(TableSchema schema, List<Descriptor> written) throws IOException {
        List<String> items = new ArrayList<>();
        // snippet: given
        try (SSTables table = SSTables.open(schema, written);
                TableRows rows = table.rows(TokenRange.FULL, Instant.now())) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                items.add(row.getString("item"));
            }
        }
        // end
        return items;
    }

    private static void delete(TableSchema schema, Path directory, Instant day) throws IOException {
        // snippet: delete
        try (SSTableWriter writer = SSTableWriter.builder(schema)
                .to(directory)
                .timestampMicros(1_795_000_000_000_001L)
                .unsorted(256 << 20)) {
            writer.row()
                    .key("customer", 1)
                    .clustering("placed", day)
                    .delete("item")
                    .update();
            writer.row()
                    .key("customer", 1)
                    .clustering("placed", day)
                    .remove("tags", "fresh")
                    .update();
            writer.row().key("customer", 2).clustering("placed", day).deleteRow();
            writer.rangeDeletion().key("customer", 3).from("placed", day, true).delete();
            writer.row().key("customer", 4).deletePartition();
            writer.finish();
        }
        // end
    }

    private static void stream(TableSchema schema, Path directory, Iterable<Map<String, Object>> sorted)
            throws IOException {
        // snippet: sorted
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(directory).format(NB).sorted()) {
            for (Map<String, Object> values : sorted) {
                writer.insert(values, 1_795_000_000_000_000L);
            }
            writer.finish();
        }
        // end
    }

    private static List<String> unzip(Path zip) throws IOException {
        // snippet: zip
        try (FileSystem snapshot = FileSystems.newFileSystem(zip)) {
            return read(snapshot.getPath("/"));
        }
        // end
    }

    private static TableSchema schema(Path file) throws IOException {
        // snippet: schema
        TableSchema schema = CqlSchema.parse(Files.readString(file), file.toString())
                .table("shop", "orders")
                .orElseThrow();
        // end
        return schema;
    }

    @Test
    void shouldWriteAndRead() throws IOException {
        TableSchema schema = schema(Files.writeString(directory.resolve("schema.cql"), TEXT));
        List<Descriptor> written = write(schema, directory);
        Path table = written.get(0).directory();
        assertThat(readBy(schema, written)).hasSize(1000);
        describe(schema, written);

        assertThat(written).hasSize(1);
        assertThat(read(table)).hasSize(1000).contains("7 bought bread [fresh, white]");
        assertThat(count(table, Long.MIN_VALUE, 0) + count(table, 0, Long.MIN_VALUE))
                .isEqualTo(1000);

        assertThat(build().differenceFrom(schema)).contains("gc_grace_seconds differs, here=-1, there=864000");
        assertThat(readOne(table, Instant.parse("2026-11-21T10:15:30Z")))
                .containsExactly("2026-11-21T10:15:30Z bread", "one bread");

        delete(schema, directory, Instant.parse("2026-11-21T10:15:30Z"));
        assertThat(read(table)).hasSize(997).contains("1 bought null [white]");

        stream(schema, directory, List.of(Map.of("customer", 2000, "placed", Instant.EPOCH, "item", "salt")));
        assertThat(read(table)).hasSize(998).contains("2000 bought salt null");
    }

    @Test
    void shouldReadOutOfAZipFile() throws IOException {
        TableSchema schema = schema(Files.writeString(directory.resolve("schema.cql"), TEXT));
        Path table = write(schema, directory).get(0).directory();
        Path zip = directory.resolve("snapshot.zip");
        try (FileSystem files = FileSystems.newFileSystem(URI.create("jar:" + zip.toUri()), Map.of("create", "true"))) {
            for (Path file : Files.list(table).toList()) {
                Files.copy(file, files.getPath("/" + file.getFileName()));
            }
            Files.writeString(files.getPath("/schema.cql"), TEXT);
        }

        assertThat(unzip(zip)).hasSize(1000);
    }

    @Test
    void shouldBeQuotedByThePage() throws IOException {
        Snippets.assertQuoted(SSTablesSnippetsTest.class, "sstables.md", 11);
    }
}
