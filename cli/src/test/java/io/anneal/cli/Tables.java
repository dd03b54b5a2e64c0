package io.anneal.cli;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.store.SSTableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Directories of one table with rows that a test writes. */
final class Tables {
    static final long MICROS = 1_700_000_000_000_000L;
    static final String TEXT = "CREATE TABLE ks.readings (id int, at int, name text, home text static, tags set<text>,"
            + " PRIMARY KEY (id, at)) WITH gc_grace_seconds = 864000;";
    static final TableSchema READINGS = schema(TEXT);

    private Tables() {}

    /** Writes rows. */
    interface Rows {
        void to(SSTableWriter writer) throws IOException;
    }

    static TableSchema schema(String text) {
        return CqlSchema.parse(text, "test.cql").tables().iterator().next();
    }

    /** Adds one SSTable to a directory, and the schema text beside it; returns the table's own directory. */
    static Path write(Path directory, Rows rows) throws IOException {
        return write(directory, READINGS, TEXT, rows);
    }

    static Path write(Path directory, TableSchema schema, String text, Rows rows) throws IOException {
        try (SSTableWriter writer = SSTableWriter.builder(schema)
                .to(directory)
                .timestampMicros(MICROS)
                .unsorted(1 << 20)) {
            rows.to(writer);
            writer.finish();
        }
        Path table = directory.resolve(schema.keyspace()).resolve(schema.name());
        Files.createDirectories(table);
        Files.writeString(table.resolve("schema.cql"), text);
        return table;
    }
}
