package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.RowBuilder;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Columns of names that Cassandra orders in its own way. Each has its name as its value: what is read as another column's shows.
 */
@WithCassandra
class ColumnNamesTest {
    private static final String KEYSPACE = "column_names";
    private static final String DROP = "DROP KEYSPACE IF EXISTS " + KEYSPACE;
    private static final String CREATE =
            "CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    private static final List<String> NAMES = List.of(
            "a",
            "b",
            "aé",
            "Z",
            "select",
            "\"",
            "a\"b",
            "~",
            "x".repeat(48),
            "é",
            "É",
            "ß",
            "Жa",
            "Ж",
            "漢",
            "€uro",
            "€uros",
            "€urosa",
            "€urosé",
            "\uD83D\uDE00",
            "\uD83D\uDE00\"",
            "é" + "y".repeat(46));
    private static final List<String> STATICS = List.of("s", "§", "ǝ", "st");
    private static final List<String> COLLECTIONS = List.of("l", "ñ", "m", "£");
    /** So that rows list columns where they have a bitmap of few. */
    private static final int MANY = 70;

    private static final int ROWS = 8;

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    @AfterAll
    static void dropKeyspaces(Peers peers) {
        for (WrittenVersion version : WrittenVersion.values()) {
            peers.of(version.peer()).execute(DROP);
        }
    }

    private static TableSchema schema(String name, int more) {
        TableSchema.Builder builder = TableSchema.builder(KEYSPACE, name)
                .options(TableOptions.DEFAULTS)
                .partitionKey("ключ", "int")
                .clustering("c", "int");
        STATICS.forEach(column -> builder.staticColumn(column, "text"));
        NAMES.forEach(column -> builder.column(column, "text"));
        COLLECTIONS.forEach(column -> builder.column(column, "set<text>"));
        for (int i = 0; i < more; i++) {
            builder.column((i % 2 == 0 ? "ö" : "o") + i, "text");
        }
        return builder.build();
    }

    /** Of one row all columns, of the others every second, third and so on. */
    private static Predicate<Column> columnsOf(int row) {
        return column -> column.index() % (row + 1) == 0;
    }

    private static List<Column> regulars(TableSchema schema, int row) {
        return schema.regularColumns().stream().filter(columnsOf(row)).toList();
    }

    private static Object value(Column column) {
        return column.isComplex() ? Set.of(column.name()) : column.name();
    }

    private static void create(CassandraPeer peer, TableSchema schema) {
        peer.executeAll(Stream.of(SchemaText.print(schema).split(";\n"))
                .filter(statement -> !statement.isBlank())
                .toList());
    }

    @ParameterizedTest
    @EnumSource(WrittenVersion.class)
    void shouldBeReadByCassandraAsTheyAreWrittenHere(WrittenVersion version, Peers peers) throws IOException {
        CassandraPeer peer = peers.of(version.peer());
        peer.executeAll(List.of(DROP, CREATE));
        for (TableSchema schema : List.of(schema("few", 0), schema("many", MANY))) {
            create(peer, schema);
            Path written = directory.resolve(schema.name());
            try (SSTableWriter writer = SSTableWriter.builder(schema)
                    .to(written)
                    .format(version.version())
                    .unsorted(1 << 20)) {
                for (int row = 0; row < ROWS; row++) {
                    write(schema, writer, row);
                }
                writer.finish();
            }
            assertThat(peer.importDirectory(
                            KEYSPACE, schema.name(), written.resolve(KEYSPACE).resolve(schema.name())))
                    .isEqualTo(1);

            List<String> documents = peer.selectJson("SELECT JSON * FROM " + schema.qualifiedName());

            assertThat(documents).hasSize(ROWS);
            for (String document : documents) {
                assertNamed(schema, JSON.readTree(document));
            }
            // Of a file that has more than one version of a row nothing is lost, either.
            peer.compact(KEYSPACE, schema.name());
            assertThat(peer.selectJson("SELECT JSON * FROM " + schema.qualifiedName()))
                    .isEqualTo(documents);
        }
    }

    private static void write(TableSchema schema, SSTableWriter writer, int row) throws IOException {
        RowBuilder builder = writer.row().key("ключ", row).clustering("c", row).timestampMicros(1_700_000_000_000_000L);
        schema.staticColumns().forEach(column -> builder.set(column.name(), value(column)));
        for (Column column : regulars(schema, row)) {
            if (column.isComplex()) {
                builder.add(column.name(), value(column));
            } else {
                builder.set(column.name(), value(column));
            }
        }
        builder.insert();
    }

    private static void assertNamed(TableSchema schema, JsonNode row) {
        int number = row.get("ключ").asInt();
        schema.staticColumns().forEach(column -> assertNamed(row, column, true));
        schema.regularColumns()
                .forEach(column -> assertNamed(row, column, columnsOf(number).test(column)));
    }

    private static void assertNamed(JsonNode row, Column column, boolean isPresent) {
        String name = column.name();
        JsonNode value = row.get(name.equals(name.toLowerCase(Locale.ROOT)) ? name : '"' + name + '"');
        assertThat(value).as(name).isNotNull();
        if (isPresent) {
            JsonNode found = column.isComplex() ? value.get(0) : value;
            assertThat(found.asText()).isEqualTo(name);
        } else {
            assertThat(value.isNull()).as(name).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(WrittenVersion.class)
    void shouldBeReadHereAsCassandraWritesThem(WrittenVersion version, Peers peers) throws IOException {
        CassandraPeer peer = peers.of(version.peer());
        peer.executeAll(List.of(DROP, CREATE));
        for (TableSchema schema : List.of(schema("few", 0), schema("many", MANY))) {
            create(peer, schema);
            for (int row = 0; row < ROWS; row++) {
                peer.execute(insert(schema, row));
            }
            peer.flush(KEYSPACE, schema.name());
            Path copied = directory.resolve(schema.name());
            assertThat(peer.copySSTables(KEYSPACE, schema.name(), copied)).hasSize(1);

            try (SSTables sstables = SSTables.open(copied);
                    TableRows rows = TableRows.of(sstables.scan(TokenRange.Linear.ALL), 1_700_000_000L)) {
                for (SSTableReader reader : sstables.readers()) {
                    assertThat(reader.isInFormerColumnOrder()).isFalse();
                    reader.verify();
                }
                int count = 0;
                for (TableRow row : rows) {
                    assertNamed(sstables.schema(), row);
                    count++;
                }
                assertThat(count).isEqualTo(ROWS);
            }
        }
    }

    private static String insert(TableSchema schema, int row) {
        List<String> names = new ArrayList<>(List.of("\"ключ\"", "c"));
        List<String> values = new ArrayList<>(List.of(Integer.toString(row), Integer.toString(row)));
        List<Column> columns = new ArrayList<>(schema.staticColumns());
        columns.addAll(regulars(schema, row));
        for (Column column : columns) {
            names.add(RandomWrites.quoted(column.name()));
            values.add(column.isComplex() ? "{'" + column.name() + "'}" : "'" + column.name() + "'");
        }
        return "INSERT INTO " + schema.qualifiedName() + " (" + String.join(", ", names) + ") VALUES ("
                + String.join(", ", values) + ") USING TIMESTAMP 1700000000000000";
    }

    private static void assertNamed(TableSchema schema, TableRow row) {
        Predicate<Column> present = columnsOf(row.value("c", Integer.class));
        Map<String, Object> values = row.values();
        schema.staticColumns().forEach(column -> assertThat(values).containsEntry(column.name(), column.name()));
        for (Column column : schema.regularColumns()) {
            assertThat(values)
                    .as(column.name())
                    .containsEntry(column.name(), present.test(column) ? value(column) : null);
        }
    }
}
