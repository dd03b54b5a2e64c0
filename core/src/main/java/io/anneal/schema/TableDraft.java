package io.anneal.schema;

import io.anneal.schema.grammar.CqlParser;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table while its statements are read: what {@code CREATE} said, changed by every {@code ALTER} after it. */
final class TableDraft {
    private record DraftColumn(CqlType type, boolean isStatic, long dropTimeMicros, boolean dropped) {}

    private final SchemaReader reader;
    private final TypeReader types;
    private final String keyspace;
    private final String name;
    private final CqlParser.CreateTableContext create;
    private final Map<String, DraftColumn> columns = new LinkedHashMap<>();
    private final List<String> partitionKey = new ArrayList<>();
    private final List<String> clustering = new ArrayList<>();
    private final Map<String, Boolean> descending = new LinkedHashMap<>();
    private final OptionsReader options;
    private boolean viewBase;

    TableDraft(
            SchemaReader reader, TypeReader types, String keyspace, String name, CqlParser.CreateTableContext create) {
        this.reader = reader;
        this.types = types;
        this.keyspace = keyspace;
        this.name = name;
        this.create = create;
        this.options = new OptionsReader(reader);
        if (create.options_() != null) {
            // Before the columns: a compact table is refused as such, whatever else is odd in it.
            readOptions(create.options_());
        }
        for (CqlParser.DefinitionContext definition : create.definition()) {
            define(definition);
        }
        checkKey();
        checkClusteringOrder();
    }

    private void define(CqlParser.DefinitionContext definition) {
        if (definition instanceof CqlParser.PrimaryKeyContext key) {
            if (!partitionKey.isEmpty()) {
                throw reader.error(definition, "second primary key");
            }
            key.partitionKey().identifier().forEach(part -> partitionKey.add(SchemaReader.name(part)));
            key.identifier().forEach(part -> clustering.add(SchemaReader.name(part)));
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
            partitionKey.add(columnName);
        }
    }

    private DraftColumn draftColumn(CqlParser.ColumnContext column, long dropTimeMicros) {
        return new DraftColumn(types.type(column.type(), keyspace), column.STATIC() != null, dropTimeMicros, false);
    }

    private void checkKey() {
        if (partitionKey.isEmpty()) {
            throw reader.error(create, "table without a primary key, table=" + keyspace + "." + name);
        }
        List<String> key = new ArrayList<>(partitionKey);
        key.addAll(clustering);
        for (int i = 0; i < key.size(); i++) {
            DraftColumn column = columns.get(key.get(i));
            if (column == null) {
                throw reader.error(create, "unknown column in the primary key, column=" + key.get(i));
            }
            if (key.indexOf(key.get(i)) != i) {
                throw reader.error(create, "column twice in the primary key, column=" + key.get(i));
            }
            if (column.isStatic || column.type.isMultiCell() || column.type.isCounter()) {
                throw reader.error(
                        create,
                        "column cannot be in the primary key, column=" + key.get(i) + ", type=" + column.type.cqlName()
                                + (column.isStatic ? " static" : ""));
            }
        }
    }

    private void checkClusteringOrder() {
        if (!descending.isEmpty() && !List.copyOf(descending.keySet()).equals(clustering)) {
            throw reader.error(
                    create,
                    "CLUSTERING ORDER BY must name the clustering columns, named=" + descending.keySet() + ", columns="
                            + clustering);
        }
    }

    private void readOptions(CqlParser.Options_Context context) {
        for (CqlParser.OptionContext option : context.option()) {
            if (option instanceof CqlParser.CompactStorageContext) {
                throw new UnsupportedTypeException("COMPACT STORAGE is not supported");
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
        } else {
            throw reader.error(alteration, "alteration is not read: give the table in its present form");
        }
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
        return partitionKey.contains(columnName) || clustering.contains(columnName);
    }

    void viewBase() {
        viewBase = true;
    }

    TableSchema build() {
        TableSchema.Builder builder =
                TableSchema.builder(keyspace, name).options(options.options()).viewBase(viewBase);
        options.id().ifPresent(builder::id);
        for (String column : partitionKey) {
            builder.column(column, columns.get(column).type, Column.Kind.PARTITION_KEY);
        }
        for (String column : clustering) {
            CqlType type = columns.get(column).type;
            boolean reversed = descending.getOrDefault(column, false);
            builder.column(column, reversed ? CqlTypes.reversed(type) : type, Column.Kind.CLUSTERING);
        }
        columns.forEach((columnName, column) -> {
            if (!isInKey(columnName)) {
                Column.Kind kind = column.isStatic ? Column.Kind.STATIC : Column.Kind.REGULAR;
                builder.column(columnName, column.type, kind, column.dropTimeMicros, column.dropped);
            }
        });
        return builder.build();
    }
}
