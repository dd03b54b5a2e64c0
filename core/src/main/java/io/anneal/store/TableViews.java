package io.anneal.store;

import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.ViewText;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.TableDirectories;
import io.anneal.store.directory.TableSource;
import io.anneal.table.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The materialized views that are fed from a table, as far as files tell: all that any of them names. The table's own
 * snapshot seldom does. What does are the node's schema tables, the snapshots of the views beside the table, and a text of
 * the whole keyspace.
 *
 * @param names those that were found, without their keyspace
 * @param complete whether something was found that lists all views
 * @param searched files and directories that were looked at
 * @param unread those of them that may name views but cannot be read
 */
public record TableViews(Set<String> names, boolean complete, List<Path> searched, List<Path> unread) {
    private static final Logger LOG = LoggerFactory.getLogger(TableViews.class);
    private static final Pattern VIEW = Pattern.compile("MATERIALIZED\\s+VIEW", Pattern.CASE_INSENSITIVE);
    /** What no text lacks that names views, or all there are: to parse others is work for nothing. */
    private static final Pattern TELLS_OF_VIEWS = Pattern.compile("MATERIALIZED|KEYSPACE", Pattern.CASE_INSENSITIVE);

    private static final String SCHEMA_KEYSPACE = CassandraDirectory.SCHEMA_KEYSPACE;

    public TableViews {
        names = Set.copyOf(names);
        searched = List.copyOf(searched);
        unread = List.copyOf(unread);
    }

    /** @param schemaFile the text that the user gave */
    public static TableViews of(TableDirectories table, Optional<Path> schemaFile) throws IOException {
        if (table.directories().stream().allMatch(directory -> Files.exists(directory.resolve(Manifest.FILE)))) {
            // Stores have none, and take no table that has.
            return new TableViews(Set.of(), true, table.directories(), List.of());
        }
        Search search = new Search(table);
        for (Optional<Path> file : List.of(schemaFile, table.schemaFile())) {
            if (file.isPresent()) {
                search.look(file.get());
                search.text(file.get());
            }
        }
        Set<Path> keyspaceDirectories = keyspaceDirectories(table);
        for (Path directory : keyspaceDirectories) {
            search.schemaTables(directory.resolveSibling(SCHEMA_KEYSPACE));
        }
        for (Path directory : keyspaceDirectories) {
            search.siblings(directory);
        }
        return new TableViews(search.names, search.complete, List.copyOf(search.searched), List.copyOf(search.unread));
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
        private final Set<Path> searched = new LinkedHashSet<>();
        private final Set<Path> unread = new LinkedHashSet<>();
        private boolean complete;
        /** The node's own list is newer than any text. */
        private boolean listedByNode;

        Search(TableDirectories table) {
            this.table = table;
        }

        void look(Path place) {
            searched.add(place);
        }

        void text(Path file) {
            read(file).filter(text -> TELLS_OF_VIEWS.matcher(text).find()).ifPresent(text -> parse(text, file));
        }

        private Optional<String> read(Path file) {
            try {
                return Optional.of(Files.readString(file));
            } catch (IOException e) {
                leaveUnread(file, e);
                return Optional.empty();
            }
        }

        private static boolean mayNameViews(String text) {
            return VIEW.matcher(text).find();
        }

        private void parse(String text, Path file) {
            try {
                CqlSchema schema = CqlSchema.parse(text, file);
                for (ViewText view : schema.views().values()) {
                    if (view.keyspace().equals(table.keyspace()) && view.base().equals(table.table())) {
                        names.add(view.name());
                    }
                }
                complete |= schema.describesKeyspace(table.keyspace());
            } catch (SchemaException e) {
                // A snapshot's text may lack types.
                if (mayNameViews(text)) {
                    leaveUnread(file, e);
                }
            }
        }

        private void leaveUnread(Path place, Exception reason) {
            LOG.debug("could not be searched for views, path={}", place, reason);
            unread.add(place);
        }

        /** A view that was dropped leaves its snapshots: they count only while the node does not list all views. */
        void siblings(Path keyspaceDirectory) throws IOException {
            if (listedByNode) {
                return;
            }
            look(keyspaceDirectory);
            for (Path file : CassandraDirectory.of(keyspaceDirectory).schemaFiles()) {
                read(file).filter(Search::mayNameViews).ifPresent(text -> parse(text, file));
            }
        }

        /** Cassandra flushes its schema tables with every change of the schema. */
        void schemaTables(Path directory) {
            if (!Files.isDirectory(directory)) {
                return;
            }
            look(directory);
            try {
                CassandraDirectory schemaTables = CassandraDirectory.of(directory);
                boolean flushed = schemaTables.table(SCHEMA_KEYSPACE, "tables").holdsSSTables();
                TableDirectories views = schemaTables.table(SCHEMA_KEYSPACE, "views");
                if (views.holdsSSTables()) {
                    read(views);
                }
                listedByNode |= flushed;
                complete |= flushed;
            } catch (IOException | SchemaException e) {
                leaveUnread(directory, e);
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
                        names.add(row.getString(view.name()));
                    }
                }
            }
        }
    }
}
