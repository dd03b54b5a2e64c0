package io.anneal.schema;

import io.anneal.schema.grammar.CqlParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A table while its statements are read: what {@code CREATE} said, changed by every {@code ALTER} after it. */
final class TableDraft {
    private static final String HIDDEN_CLUSTERING = "column";
    private static final String HIDDEN_VALUE = "value";

    private record DraftColumn(CqlType type, boolean isStatic, long dropTimeMicros, boolean dropped) {
        DraftColumn asStatic() {
            return new DraftColumn(type, true, dropTimeMicros, dropped);
        }
    }

    /** A column of the primary key, which keeps its place under another name. */
    private static final class KeyColumn {
        private String name;

        KeyColumn(String name) {
            this.name = name;
        }
    }

    private final SchemaReader reader;
    private final TypeReader types;
    private final String keyspace;
    private final String name;
    private final CqlParser.CreateTableContext create;
    private final Map<String, DraftColumn> columns = new LinkedHashMap<>();
    private final List<KeyColumn> partitionKey = new ArrayList<>();
    private final List<KeyColumn> clustering = new ArrayList<>();
    private final Map<String, KeyColumn> keyColumns = new HashMap<>();
    private final Map<String, Boolean> descending = new LinkedHashMap<>();
    private final OptionsReader options;
    private boolean viewBase;
    private boolean compactStorage;
    /** Compact and declared without clustering columns: the declared columns are stored as static ones. */
    private boolean staticCompact;

    TableDraft(
            SchemaReader reader, TypeReader types, String keyspace, String name, CqlParser.CreateTableContext create) {
        this.reader = reader;
        this.types = types;
        this.keyspace = keyspace;
        this.name = name;
        this.create = create;
        this.options = new OptionsReader(reader);
        if (create.options_() != null) {
            readOptions(create.options_());
        }
        for (CqlParser.DefinitionContext definition : create.definition()) {
            define(definition);
        }
        checkKey();
        if (compactStorage) {
            addHiddenColumns();
        }
        checkClusteringOrder();
    }

    private void define(CqlParser.DefinitionContext definition) {
        if (definition instanceof CqlParser.PrimaryKeyContext key) {
            if (!partitionKey.isEmpty()) {
                throw reader.error(definition, "second primary key");
            }
            key.partitionKey().identifier().forEach(part -> addToKey(partitionKey, SchemaReader.name(part)));
            key.identifier().forEach(part -> addToKey(clustering, SchemaReader.name(part)));
            return;
        }
        CqlParser.ColumnDefinitionContext column = (CqlParser.ColumnDefinitionContext) definition;
        String columnName = SchemaReader.name(column.column().identifier());
        if (columns.containsKey(columnName)) {
            throw reader.error(definition, "column declared twice, column=" + columnName);
        }
        columns.put(columnName, draftColumn(column.column(), Column.NEVER_DROPPED));
        if (column.PRIMARY() != null) {
            if (!partitionKey.isEmpty()) {
                throw reader.error(definition, "second primary key");
            }
            addToKey(partitionKey, columnName);
        }
    }

    private void addToKey(List<KeyColumn> part, String columnName) {
        KeyColumn column = new KeyColumn(columnName);
        if (keyColumns.putIfAbsent(columnName, column) != null) {
            throw reader.error(create, "column twice in the primary key, column=" + columnName);
        }
        part.add(column);
    }

    private DraftColumn draftColumn(CqlParser.ColumnContext column, long dropTimeMicros) {
        boolean isStatic = column.STATIC() != null || staticCompact;
        return new DraftColumn(types.type(column.type(), keyspace), isStatic, dropTimeMicros, false);
    }

    private void checkKey() {
        if (partitionKey.isEmpty()) {
            throw reader.error(create, "table without a primary key, table=" + keyspace + "." + name);
        }
        Stream.concat(partitionKey.stream(), clustering.stream()).forEach(key -> {
            DraftColumn column = columns.get(key.name);
            if (column == null) {
                throw reader.error(create, "unknown column in the primary key, column=" + key.name);
            }
            if (column.isStatic || column.type.isMultiCell() || column.type.isCounter()) {
                throw reader.error(
                        create,
                        "column cannot be in the primary key, column=" + key.name + ", type=" + column.type.cqlName()
                                + (column.isStatic ? " static" : ""));
            }
        });
    }

    /**
     * What Cassandra 3.0 and later store for a compact table besides the columns that it declares. Without clustering columns
     * (Thrift's static tables): a clustering of text, a value, and the declared columns as static ones. With clustering
     * columns: a value of no type, if none is declared.
     */
    private void addHiddenColumns() {
        List<String> others =
                columns.keySet().stream().filter(column -> !isInKey(column)).toList();
        for (String column : others) {
            if (columns.get(column).isStatic || columns.get(column).type.isMultiCell()) {
                throw reader.error(create, "column cannot be in a compact table, column=" + column);
            }
        }
        staticCompact = clustering.isEmpty();
        if (staticCompact ? others.isEmpty() : others.size() > 1) {
            throw reader.error(
                    create,
                    staticCompact
                            ? "compact table without columns outside of the primary key"
                            : "compact table with more than one column outside of the primary key, columns=" + others);
        }
        if (staticCompact) {
            boolean counters = columns.get(others.get(0)).type.isCounter();
            others.forEach(column -> columns.computeIfPresent(column, (c, draft) -> draft.asStatic()));
            // The clustering order names the hidden clustering column where a snapshot tells it.
            String hidden =
                    descending.size() == 1 ? descending.keySet().iterator().next() : unusedName(HIDDEN_CLUSTERING, 1);
            columns.put(hidden, hidden(CqlTypes.TEXT));
            addToKey(clustering, hidden);
            columns.put(unusedName(HIDDEN_VALUE, 0), hidden(counters ? CqlTypes.COUNTER : CqlTypes.BLOB));
        } else if (others.isEmpty()) {
            columns.put(unusedName(HIDDEN_VALUE, 0), hidden(CqlTypes.EMPTY));
        }
    }

    private static DraftColumn hidden(CqlType type) {
        return new DraftColumn(type, false, Column.NEVER_DROPPED, false);
    }

    private String unusedName(String stem, int firstNumber) {
        int number = firstNumber;
        String name = number == 0 ? stem : stem + number;
        while (columns.containsKey(name)) {
            name = stem + ++number;
        }
        return name;
    }

    private void checkClusteringOrder() {
        List<String> names = clustering.stream().map(column -> column.name).toList();
        if (!descending.isEmpty() && !List.copyOf(descending.keySet()).equals(names)) {
            throw reader.error(
                    create,
                    "CLUSTERING ORDER BY must name the clustering columns, named=" + descending.keySet() + ", columns="
                            + names);
        }
    }

    private void readOptions(CqlParser.Options_Context context) {
        for (CqlParser.OptionContext option : context.option()) {
            if (option instanceof CqlParser.CompactStorageContext) {
                compactStorage = true;
            } else if (option instanceof CqlParser.ClusteringOrdersContext orders) {
                for (CqlParser.ClusteringOrderContext order : orders.clusteringOrder()) {
                    descending.put(SchemaReader.name(order.identifier()), order.DESC() != null);
                }
            } else {
                options.read((CqlParser.ValueOptionContext) option);
            }
        }
    }

    void alter(CqlParser.AlterationContext alteration) {
        if (alteration instanceof CqlParser.AddColumnsContext add) {
            add.column().forEach(this::add);
        } else if (alteration instanceof CqlParser.DropColumnsContext drop) {
            drop(drop);
        } else if (alteration instanceof CqlParser.AlterOptionsContext changed) {
            readOptions(changed.options_());
        } else if (alteration instanceof CqlParser.RenameColumnsContext renamed) {
            renamed.rename().forEach(this::rename);
        } else if (alteration instanceof CqlParser.ChangeColumnTypeContext changed) {
            changeType(changed);
        } else if (alteration instanceof CqlParser.DropCompactStorageContext) {
            compactStorage = false;
            staticCompact = false;
        } else if (!(alteration instanceof CqlParser.ChangeMaskContext)) {
            throw new AssertionError(alteration.getText());
        }
    }

    /** Only columns of the primary key can be renamed: the names of others are in the SSTables. */
    private void rename(CqlParser.RenameContext rename) {
        String before = SchemaReader.name(rename.before);
        String after = SchemaReader.name(rename.after);
        if (!isInKey(before) || columns.containsKey(after)) {
            throw reader.error(rename, "column cannot be renamed, from=" + before + ", to=" + after);
        }
        columns.put(after, columns.remove(before));
        KeyColumn column = keyColumns.remove(before);
        column.name = after;
        keyColumns.put(after, column);
        if (descending.containsKey(before)) {
            descending.put(after, descending.remove(before));
        }
    }

    /** As Cassandra before 3.11 allowed: to a type that reads the values of the one before. */
    private void changeType(CqlParser.ChangeColumnTypeContext change) {
        String columnName = SchemaReader.name(change.identifier());
        DraftColumn column = columns.get(columnName);
        if (column == null || column.dropped) {
            throw reader.error(change, "no column to alter, column=" + columnName);
        }
        CqlType type = types.type(change.type(), keyspace);
        if (!(isInKey(columnName) ? type.sorts(column.type) : type.reads(column.type))) {
            throw reader.error(
                    change,
                    "type cannot become the other, column=" + columnName + ", from=" + column.type.cqlName() + ", to="
                            + type.cqlName());
        }
        columns.put(columnName, new DraftColumn(type, column.isStatic, column.dropTimeMicros, false));
    }

    /** A column that was dropped before comes back: with the time of its drop, which its older cells lie behind. */
    private void add(CqlParser.ColumnContext column) {
        String columnName = SchemaReader.name(column.identifier());
        DraftColumn before = columns.get(columnName);
        if (before != null && !before.dropped) {
            throw reader.error(column, "column is there already, column=" + columnName);
        }
        long dropTimeMicros = before == null ? Column.NEVER_DROPPED : before.dropTimeMicros;
        columns.put(columnName, draftColumn(column, dropTimeMicros));
    }

    private void drop(CqlParser.DropColumnsContext drop) {
        if (drop.NUMBER() == null) {
            throw reader.error(drop, "DROP without USING TIMESTAMP: nothing says which cells it covers");
        }
        long timestampMicros = options.integer(drop.NUMBER().getText(), drop);
        for (CqlParser.IdentifierContext identifier : drop.identifier()) {
            String columnName = SchemaReader.name(identifier);
            DraftColumn column = columns.get(columnName);
            if (column == null || column.dropped || isInKey(columnName)) {
                throw reader.error(identifier, "no column to drop, column=" + columnName);
            }
            long dropTimeMicros = Math.max(timestampMicros, column.dropTimeMicros);
            columns.put(columnName, new DraftColumn(column.type, column.isStatic, dropTimeMicros, true));
        }
    }

    private boolean isInKey(String columnName) {
        return keyColumns.containsKey(columnName);
    }

    void viewBase() {
        viewBase = true;
    }

    TableSchema build() {
        TableSchema.Builder builder = TableSchema.builder(keyspace, name)
                .options(options.options())
                .viewBase(viewBase)
                .compactStorage(compactStorage);
        options.id().ifPresent(builder::id);
        for (KeyColumn key : partitionKey) {
            builder.column(key.name, columns.get(key.name).type, Column.Kind.PARTITION_KEY);
        }
        for (KeyColumn key : clustering) {
            CqlType type = columns.get(key.name).type;
            boolean reversed = descending.getOrDefault(key.name, false);
            builder.column(key.name, reversed ? CqlTypes.reversed(type) : type, Column.Kind.CLUSTERING);
        }
        columns.forEach((columnName, column) -> {
            if (!isInKey(columnName)) {
                Column.Kind kind = column.isStatic ? Column.Kind.STATIC : Column.Kind.REGULAR;
                builder.column(columnName, column.type, kind, column.dropTimeMicros, column.dropped);
            }
        });
        try {
            return builder.build();
        } catch (SchemaException e) {
            throw reader.error(create, e);
        }
    }
}
