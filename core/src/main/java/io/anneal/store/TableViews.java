package io.anneal.store;

import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The materialized views that are fed from a table, as far as files tell. The table's own snapshot does not: its schema
 * text names no view. What does are the node's schema tables, the snapshots of the views beside the table, and a text of the
 * whole keyspace.
 *
 * @param names those that were found, without their keyspace
 * @param complete whether something was found that lists all views, so that there are no others
 */
public record TableViews(Set<String> names, boolean complete) {
    private static final Logger LOG = LoggerFactory.getLogger(TableViews.class);
    private static final Pattern VIEW = Pattern.compile("MATERIALIZED\\s+VIEW", Pattern.CASE_INSENSITIVE);
    private static final String SCHEMA_KEYSPACE = "system_schema";

    public TableViews {
        names = Set.copyOf(names);
    }

    /** @param schemaFile the text that the user gave */
    public static TableViews of(TableDirectories table, Optional<Path> schemaFile) throws IOException {
        Search search = new Search(table);
        if (schemaFile.isPresent()) {
            search.text(schemaFile.get());
        }
        Set<Path> keyspaceDirectories = keyspaceDirectories(table);
        for (Path directory : keyspaceDirectories) {
            search.schemaTables(directory.resolveSibling(SCHEMA_KEYSPACE));
        }
        for (Path directory : keyspaceDirectories) {
            search.siblings(directory);
        }
        return new TableViews(search.names, search.complete);
    }

    /** None for a table's directory, or a snapshot, that was copied alone. */
    private static Set<Path> keyspaceDirectories(TableDirectories table) {
        Set<Path> found = new LinkedHashSet<>();
        for (Path directory : table.directories()) {
            Path tableDirectory = TableDirectories.withoutSnapshot(directory);
            Path parent = tableDirectory.getParent();
            if (table.id().isPresent()
                    && tableDirectory.endsWith(table.table() + "-" + table.id().get())
                    && parent != null
                    && parent.endsWith(table.keyspace())) {
                found.add(parent);
            }
        }
        return found;
    }

    /** What is found, and where it is looked for. */
    private static final class Search {
        private final TableDirectories table;
        private final Set<String> names = new TreeSet<>();
        private boolean complete;

        Search(TableDirectories table) {
            this.table = table;
        }

        void text(Path file) throws IOException {
            text(Files.readString(file), file);
        }

        private void text(String text, Path file) {
            try {
                CqlSchema schema = CqlSchema.parse(text, file.toString());
                for (Map.Entry<String, String> view : schema.viewBases().entrySet()) {
                    if (view.getValue().equals(table.qualifiedName())) {
                        names.add(view.getKey().substring(table.keyspace().length() + 1));
                    }
                }
                complete |= schema.describesKeyspace(table.keyspace());
            } catch (SchemaException e) {
                // Whoever needs the text reports what is wrong with it; a snapshot's may lack types.
                LOG.debug("schema text was not searched for views, file={}", file, e);
            }
        }

        /** A view that was dropped leaves its snapshots: they count only while nothing lists all views. */
        void siblings(Path keyspaceDirectory) throws IOException {
            if (complete) {
                return;
            }
            for (TableDirectories sibling :
                    CassandraDirectory.of(keyspaceDirectory).tables()) {
                Optional<Path> file = sibling.schemaFile();
                if (file.isPresent()) {
                    String text = Files.readString(file.get());
                    if (VIEW.matcher(text).find()) {
                        text(text, file.get());
                    }
                }
            }
        }

        /** Cassandra flushes its schema tables with every change of the schema. */
        void schemaTables(Path directory) {
            if (complete || !Files.isDirectory(directory)) {
                return;
            }
            try {
                CassandraDirectory schemaTables = CassandraDirectory.of(directory);
                boolean flushed = schemaTables.table(SCHEMA_KEYSPACE, "tables").holdsSSTables();
                TableDirectories views = schemaTables.table(SCHEMA_KEYSPACE, "views");
                if (views.holdsSSTables()) {
                    read(views);
                }
                complete |= flushed;
            } catch (IOException | SchemaException e) {
                // The result then says that something may be missing.
                LOG.debug("schema tables were not searched for views, directory={}", directory, e);
            }
        }

        private void read(TableDirectories views) throws IOException {
            try (SSTables sstables = SSTables.open(new TableSource(views, views.liveSSTables(), Optional.empty()));
                    TableRows rows = sstables.rows(TokenRange.FULL, Instant.EPOCH)) {
                Column keyspace = sstables.schema().partitionKey().get(0);
                Column view = sstables.schema().clustering().get(0);
                for (TableRow row = rows.next(); row != null; row = rows.next()) {
                    if (table.keyspace().equals(row.value(keyspace.name()))
                            && table.table().equals(row.value("base_table_name"))) {
                        names.add(row.value(view.name(), String.class));
                    }
                }
            }
        }
    }
}
