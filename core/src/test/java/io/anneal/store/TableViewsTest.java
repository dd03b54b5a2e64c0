package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.CassandraFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TableViewsTest {
    private static final String VIEW_TEXT = "CREATE MATERIALIZED VIEW IF NOT EXISTS shop.by_owner AS\n    SELECT *\n"
            + "    FROM shop.orders\n    WHERE owner IS NOT NULL\n    PRIMARY KEY (owner, id)\n WITH comment = '';\n";
    private static final String KEYSPACE_TEXT =
            "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy'};\n";
    private static final String BASE_TEXT = "CREATE TABLE shop.orders (id int PRIMARY KEY, owner text);\n";

    @TempDir
    private Path data;

    private Path table(String keyspace, String name) throws IOException {
        return Files.createDirectories(data.resolve(keyspace).resolve(name + "-" + CassandraFiles.ID));
    }

    private Path snapshot(String name, String text) throws IOException {
        Path snapshot = Files.createDirectories(table("shop", name).resolve("snapshots/anneal"));
        Files.writeString(snapshot.resolve("schema.cql"), text);
        return snapshot;
    }

    private static TableViews views(Path given, Path... schemaFile) throws IOException {
        return TableViews.of(
                CassandraDirectory.of(given).table("shop", "orders"),
                List.of(schemaFile).stream().findFirst());
    }

    /** What a node keeps of its schema. */
    private void schemaTables(String... bases) throws IOException {
        Path directory = data.resolve("system_schema");
        TableSchema tables = write(
                "CREATE TABLE system_schema.tables (keyspace_name text, table_name text, id text,"
                        + " PRIMARY KEY (keyspace_name, table_name))",
                "table_name",
                "id",
                "orders");
        TableSchema views = write(
                "CREATE TABLE system_schema.views (keyspace_name text, view_name text, base_table_name text,"
                        + " PRIMARY KEY (keyspace_name, view_name))",
                "view_name",
                "base_table_name",
                bases);
        for (TableSchema written : List.of(tables, views)) {
            Path staged = data.resolve("staged").resolve("system_schema").resolve(written.name());
            if (Files.isDirectory(staged)) {
                Files.createDirectories(directory);
                Files.move(staged, directory.resolve(written.name() + "-" + CassandraFiles.ID));
            } else {
                Files.createDirectories(directory.resolve(written.name() + "-" + CassandraFiles.ID));
            }
        }
    }

    private TableSchema write(String text, String nameColumn, String valueColumn, String... values) throws IOException {
        TableSchema schema =
                CqlSchema.parse(text, "test.cql").tables().iterator().next();
        try (SSTableWriter writer = SSTableWriter.builder(schema)
                .to(data.resolve("staged"))
                .timestampMicros(1)
                .unsorted(1 << 20)) {
            for (String value : values) {
                writer.row()
                        .key("keyspace_name", "shop")
                        .clustering(nameColumn, "of_" + value)
                        .set(valueColumn, value)
                        .insert();
            }
            writer.finish();
        }
        return schema;
    }

    @Test
    void shouldFindAViewInTheNodesSchemaTables() throws IOException {
        Path snapshot = snapshot("orders", BASE_TEXT);
        schemaTables("orders", "customers");

        for (Path given : List.of(snapshot, data.resolve("shop"))) {
            assertThat(views(given).names()).containsExactly("of_orders");
            assertThat(views(given).complete()).isTrue();
        }
    }

    @Test
    void shouldKnowThatThereIsNoneWhenTheNodesSchemaTablesHaveNone() throws IOException {
        Path snapshot = snapshot("orders", BASE_TEXT);
        // A view that was dropped left its snapshot.
        snapshot("by_owner", VIEW_TEXT);
        schemaTables();

        assertThat(views(snapshot).names()).isEmpty();
        assertThat(views(snapshot).complete()).isTrue();
    }

    @Test
    void shouldFindAViewByItsOwnSnapshotBesideTheTable() throws IOException {
        Path snapshot = snapshot("orders", BASE_TEXT);
        snapshot("by_owner", VIEW_TEXT);

        assertThat(views(snapshot).names()).containsExactly("by_owner");
        assertThat(views(snapshot).complete()).isFalse();
    }

    @Test
    void shouldFindAViewInATextOfTheWholeKeyspace() throws IOException {
        Path snapshot = snapshot("orders", BASE_TEXT);
        Path text = Files.writeString(data.resolve("all.cql"), KEYSPACE_TEXT + BASE_TEXT + VIEW_TEXT);
        assertThat(views(snapshot, text).names()).containsExactly("by_owner");
        assertThat(views(snapshot, text).complete()).isTrue();

        Files.writeString(text, KEYSPACE_TEXT + BASE_TEXT);
        assertThat(views(snapshot, text).names()).isEmpty();
        assertThat(views(snapshot, text).complete()).isTrue();
        Files.writeString(text, BASE_TEXT);
        assertThat(views(snapshot, text).complete()).isFalse();
    }

    @Test
    void shouldNotKnowWhenASnapshotWasCopiedAlone() throws IOException {
        Path copy = Files.createDirectories(data.resolve("copies/orders"));
        Files.writeString(copy.resolve("schema.cql"), BASE_TEXT);
        snapshot("by_owner", VIEW_TEXT);

        assertThat(views(copy).names()).isEmpty();
        assertThat(views(copy).complete()).isFalse();
    }

    @Test
    void shouldFindAViewBesideTheTableWhenAStaleTextDoesNotNameIt() throws IOException {
        Path snapshot = snapshot("orders", BASE_TEXT);
        snapshot("by_owner", VIEW_TEXT);
        Path stale = Files.writeString(data.resolve("stale.cql"), KEYSPACE_TEXT + BASE_TEXT);

        assertThat(views(snapshot, stale).names()).containsExactly("by_owner");
    }

    @Test
    void shouldFindAViewInTheNodesSchemaTablesWhenAStaleTextDoesNotNameIt() throws IOException {
        Path snapshot = snapshot("orders", BASE_TEXT);
        schemaTables("orders");
        Path stale = Files.writeString(data.resolve("stale.cql"), KEYSPACE_TEXT + BASE_TEXT);

        assertThat(views(snapshot, stale).names()).containsExactly("of_orders");
    }

    @Test
    void shouldFindAViewInTheTablesOwnTextWhateverTextIsGiven() throws IOException {
        Path copy = Files.createDirectories(data.resolve("copies/orders"));
        Files.writeString(copy.resolve("schema.cql"), BASE_TEXT + VIEW_TEXT);
        Path text = Files.writeString(data.resolve("table.cql"), BASE_TEXT);

        assertThat(views(copy).names()).containsExactly("by_owner");
        assertThat(views(copy, text).names()).containsExactly("by_owner");
    }

    @Test
    void shouldTellWhatWasSearchedAndWhatCouldNotBeRead() throws IOException {
        Path snapshot = snapshot("orders", BASE_TEXT).toRealPath();
        Path broken = snapshot("by_owner", "CREATE MATERIALIZED VIEW shop.by_owner AS (")
                .toRealPath()
                .resolve("schema.cql");

        TableViews found = views(snapshot);
        assertThat(found.names()).isEmpty();
        assertThat(found.searched())
                .containsExactly(
                        snapshot.resolve("schema.cql"), data.toRealPath().resolve("shop"));
        assertThat(found.unread()).containsExactly(broken);
    }
}
