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
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows as Java values, turned back into JSON, against what Cassandra itself read from the same SSTables. */
final class TableRowsCorpusTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    static List<Path> tables() throws IOException {
        return Corpus.tables();
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
                JsonRows.sorted(JsonRows.ofDocuments(Corpus.rows(table))));
    }

    /** Names that are not all lower case keep quotes of their own inside those of JSON. */
    private static String name(Column column) {
        String name = column.name();
        return name.equals(name.toLowerCase(Locale.ROOT)) ? name : '"' + name + '"';
    }

    private static String json(TableSchema schema, TableRow row) throws IOException {
        ObjectNode json = JSON.createObjectNode();
        for (var entry : row.values().entrySet()) {
            Column column = schema.column(entry.getKey()).orElseThrow();
            Object value = entry.getValue();
            StringBuilder text = new StringBuilder();
            if (value == null) {
                text.append("null");
            } else if (column.type().isCounter()) {
                text.append(value);
            } else {
                byte[] bytes = JavaValues.toBytes(column.type(), value);
                column.type().frozen().appendJson(bytes, 0, bytes.length, text);
            }
            json.putRawValue(name(column), new RawValue(text.toString()));
        }
        return json.toString();
    }
}
