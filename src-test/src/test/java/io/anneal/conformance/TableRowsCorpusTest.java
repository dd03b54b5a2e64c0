package io.anneal.conformance;

import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableSchema;
import io.anneal.store.SSTables;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows as Java values, turned back into JSON, against what Cassandra itself read from the same SSTables. */
final class TableRowsCorpusTest {
    static List<Path> tables() throws IOException {
        return CorpusRowsTest.tables();
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldGiveTheValuesThatCassandraReads(Path table) throws IOException {
        long atSeconds = Corpus.atSeconds(table);
        List<String> found = new ArrayList<>();
        try (SSTables sstables = SSTables.open(Corpus.ROOT.resolve(table));
                TableRows rows = sstables.rows(TokenRange.FULL, Instant.ofEpochSecond(atSeconds))) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                found.add(json(sstables.schema(), row));
            }
        }

        List<String> expected = Corpus.rows(table);
        Differences.assertSame(
                table.toString(),
                JsonRows.sorted(JsonRows.ofDocuments(found)),
                JsonRows.sorted(JsonRows.ofDocuments(expected)));
    }

    private static String json(TableSchema schema, TableRow row) {
        StringBuilder json = new StringBuilder("{");
        row.values().forEach((name, value) -> {
            Column column = schema.column(name).orElseThrow();
            json.append(json.length() == 1 ? "" : ",")
                    .append('"')
                    .append(jsonName(name))
                    .append("\":");
            if (value == null) {
                json.append("null");
            } else if (column.type().isCounter()) {
                json.append(value);
            } else {
                byte[] bytes = JavaValues.toBytes(column.type(), value);
                column.type().frozen().appendJson(bytes, 0, bytes.length, json);
            }
        });
        return json.append('}').toString();
    }

    private static String jsonName(String name) {
        return name.replace("\"", "\\\"");
    }
}
