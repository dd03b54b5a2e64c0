package io.anneal.cli;

import io.anneal.environment.HostEnvironment;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.store.SSTableWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Directories of one table with rows that a test writes. */
final class Tables {
    static final long MICROS = 1_700_000_000_000_000L;
    static final String TEXT = "CREATE TABLE ks.readings (id int, at int, name text, home text static, tags set<text>,"
            + " PRIMARY KEY (id, at)) WITH gc_grace_seconds = 864000;";
    /** The same with an id, as stores need it to be replicas of each other. */
    static final String TEXT_WITH_ID = TEXT.replace("WITH ", "WITH ID = 5a1c395e-b41f-11e5-9f22-ba0be0483c18 AND ");

    static final StoreConfig STORE = StoreConfig.defaults().withShardCount(1).withCompactionThreads(0);
    static final TableSchema READINGS = schema(TEXT);

    private Tables() {}

    /** Writes rows. */
    interface Rows {
        void to(SSTableWriter writer) throws IOException;
    }

    /** Writes rows into a store. */
    interface StoreRows {
        void to(Table table) throws IOException;
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

    /** Makes a store of the table, flushed and closed; returns its directory. */
    static Path store(Path directory, StoreConfig config, HostEnvironment environment, StoreRows rows)
            throws IOException {
        try (Store open = Store.open(directory, config, environment)) {
            Table table = open.createTable(TEXT_WITH_ID);
            rows.to(table);
            table.flush();
        }
        return directory;
    }

    /** Of all rows in a closed store, sorted. */
    static List<Integer> ids(Path store, StoreConfig config) throws IOException {
        List<Integer> ids = new ArrayList<>();
        try (Store open = Store.open(store, config);
                var rows = open.table("ks.readings").rows()) {
            rows.forEach(row -> ids.add(row.value("id", Integer.class)));
        }
        return ids.stream().sorted().toList();
    }
}
