package io.anneal.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.Identifiers;
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
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows as Java values, turned back into JSON, against what Cassandra itself read from the same SSTables. */
final class TableRowsCorpusTest {
    private static final Set<String> WITH_EMPTY_VALUE = Set.of("text", "ascii", "blob");
    private static final ObjectMapper JSON = new ObjectMapper();

    static List<Path> tables() throws IOException {
        return Corpus.tables();
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldGiveTheValuesThatCassandraReads(Path table) throws IOException {
        List<String> found = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        try (SSTables sstables = SSTables.open(Corpus.ROOT.resolve(table));
                TableRows rows = sstables.rows(TokenRange.FULL, Instant.ofEpochSecond(Corpus.atSeconds(table)))) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                found.add(json(sstables.schema(), row));
            }
            for (String document : Corpus.rows(table)) {
                expected.add(withoutEmptyValues(sstables.schema(), document));
            }
        }

        Differences.assertSame(
                table.toString(),
                JsonRows.sorted(JsonRows.ofDocuments(found)),
                JsonRows.sorted(JsonRows.ofDocuments(expected)));
    }

    /** Where Java has no word for the empty value, it reads as null. */
    private static String withoutEmptyValues(TableSchema schema, String document) throws IOException {
        if (!document.contains("\"\"")) {
            return document;
        }
        ObjectNode row = (ObjectNode) JSON.readTree(document);
        for (Column column : schema.allColumns().toList()) {
            boolean empty = row.path(name(column)).isTextual()
                    && row.get(name(column)).asText().isEmpty();
            if (empty && !WITH_EMPTY_VALUE.contains(column.type().cqlName())) {
                row.putNull(name(column));
            }
        }
        return row.toString();
    }

    /** As JSON in CQL names it: with quotes of its own where CQL needs them. */
    private static String name(Column column) {
        return column.name().equals(column.name().toLowerCase(Locale.ROOT))
                ? column.name()
                : Identifiers.quoteIfNeeded(column.name());
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
