package io.anneal.schema;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A table: its columns by kind and the options that storage needs. Static and regular columns stand in canonical order
 * and include dropped ones, since old SSTables still hold their cells. Immutable.
 */
public final class TableSchema {
    private final String keyspace;
    private final String name;
    private final Optional<String> id;
    private final List<Column> partitionKey;
    private final List<Column> clustering;
    private final List<Column> staticColumns;
    private final List<Column> regularColumns;
    private final TableOptions options;
    private final boolean viewBase;
    private final boolean compactStorage;
    private final boolean view;
    private final boolean needsLiveness;
    private final boolean hasCounters;
    private final String qualifiedName;
    private final Map<String, Column> byName;

    private TableSchema(Builder builder) {
        keyspace = builder.keyspace;
        name = builder.name;
        id = Optional.ofNullable(builder.id);
        partitionKey = List.copyOf(builder.partitionKey);
        clustering = List.copyOf(builder.clustering);
        staticColumns = numbered(builder.staticColumns, builder.columnOrder);
        regularColumns = numbered(builder.regularColumns, builder.columnOrder);
        options = builder.options;
        viewBase = builder.viewBase;
        compactStorage = builder.compactStorage;
        view = builder.view;
        needsLiveness = builder.needsLiveness;
        hasCounters = staticColumns.stream().anyMatch(c -> c.type().isCounter())
                || regularColumns.stream().anyMatch(c -> c.type().isCounter());
        qualifiedName = keyspace + "." + name;
        byName = new HashMap<>();
        SchemaLimits.require(
                "table has too many columns, table=" + qualifiedName,
                (long) partitionKey.size() + clustering.size() + staticColumns.size() + regularColumns.size(),
                SchemaLimits.COLUMNS_MAX);
        for (List<Column> columns : List.of(partitionKey, clustering, staticColumns, regularColumns)) {
            for (Column column : columns) {
                if (byName.put(column.name(), column) != null) {
                    throw new IllegalArgumentException(
                            "column declared twice, column=" + column.name() + ", table=" + keyspace + "." + name);
                }
            }
        }
    }

    private static List<Column> numbered(List<Column> columns, Comparator<Column> order) {
        List<Column> sorted = new ArrayList<>(columns);
        sorted.sort(order);
        List<Column> numbered = new ArrayList<>(sorted.size());
        for (Column c : sorted) {
            numbered.add(new Column(c.name(), c.type(), c.kind(), numbered.size(), c.dropTimeMicros(), c.dropped()));
        }
        return List.copyOf(numbered);
    }

    public static Builder builder(String keyspace, String name) {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(name, "name");
        return new Builder(keyspace, name);
    }

    public String keyspace() {
        return keyspace;
    }

    public String name() {
        return name;
    }

    /** {@code keyspace.table}. */
    public String qualifiedName() {
        return qualifiedName;
    }

    /** The table's id in Cassandra, when the schema text names it. */
    public Optional<String> id() {
        return id;
    }

    public List<Column> partitionKey() {
        return partitionKey;
    }

    public List<Column> clustering() {
        return clustering;
    }

    public List<Column> staticColumns() {
        return staticColumns;
    }

    public List<Column> regularColumns() {
        return regularColumns;
    }

    public TableOptions options() {
        return options;
    }

    /** The same table under an id. */
    public TableSchema withId(String tableId) {
        Objects.requireNonNull(tableId, "tableId");
        return copy().id(tableId).build();
    }

    /** The same table with other options. */
    public TableSchema withOptions(TableOptions other) {
        Objects.requireNonNull(other, "other");
        return copy().options(other).build();
    }

    /**
     * The same table with columns numbered as by releases that spoke version 1 of the row encoding, to read what they left.
     * Columns of most tables have the same numbers in both.
     */
    public TableSchema inFormerOrder() {
        Builder former = copy();
        former.columnOrder = Column::compareFormerly;
        return former.build();
    }

    /** Whether columns have other numbers {@link #inFormerOrder}: some names start with a non-ASCII character, others do not. */
    public boolean isRenumbered() {
        return isRenumbered(staticColumns) || isRenumbered(regularColumns);
    }

    private static boolean isRenumbered(List<Column> columns) {
        return !numbered(columns, Column::compareFormerly).equals(columns);
    }

    private Builder copy() {
        return copy(allColumns().toList());
    }

    private Builder copy(List<Column> columns) {
        Builder copy =
                builder(keyspace, name).options(options).viewBase(viewBase).compactStorage(compactStorage);
        id.ifPresent(copy::id);
        if (view) {
            copy.view(needsLiveness);
        }
        columns.forEach(c -> copy.column(c.name(), c.type(), c.kind(), c.dropTimeMicros(), c.dropped()));
        return copy;
    }

    /** The same table with other columns, those of the key in order, and other options. */
    TableSchema with(List<Column> columns, TableOptions other) {
        return copy(columns).options(other).build();
    }

    /** Whether materialized views are fed from the table: rows that come past Cassandra would be missing in them. */
    public boolean isViewBase() {
        return viewBase;
    }

    /** Whether this is a materialized view, which Cassandra fills from its base: it is read, and nothing else. */
    public boolean isView() {
        return view;
    }

    /** Whether a row is there only while its liveness is, whatever cells it has: in {@link ViewText#needsLiveness some views}. */
    public boolean needsLiveness() {
        return needsLiveness;
    }

    /** Whether the table was declared {@code WITH COMPACT STORAGE}; its columns are those that SSTables hold all the same. */
    public boolean isCompactStorage() {
        return compactStorage;
    }

    /**
     * Whether a column is there only because compact tables are stored so, and no statement can name it: the clustering and the
     * value of a compact table that declares no clustering, the value without a type of one that declares no value.
     */
    public boolean isHidden(Column column) {
        Objects.requireNonNull(column, "column");
        if (!compactStorage) {
            return false;
        }
        return switch (column.kind()) {
            case PARTITION_KEY, STATIC -> false;
            case CLUSTERING -> !staticColumns.isEmpty();
            case REGULAR -> !staticColumns.isEmpty() || column.type().equals(CqlTypes.EMPTY);
        };
    }

    /** Partition key, clustering, static, regular columns, in this order. */
    public Stream<Column> allColumns() {
        return Stream.of(partitionKey, clustering, staticColumns, regularColumns)
                .flatMap(List::stream);
    }

    public Optional<Column> column(String columnName) {
        Objects.requireNonNull(columnName, "columnName");
        return Optional.ofNullable(byName.get(columnName));
    }

    /** Whether any column, dropped ones too, is a counter. */
    public boolean hasCounters() {
        return hasCounters;
    }

    /**
     * What must agree before rows of two tables may be compared or merged, in plain words: names, types and order of the
     * key, the other columns with their drop times, gc grace. Not the table's name, and nothing that only concerns how
     * rows are stored. Empty when all of it agrees.
     */
    public Optional<String> differenceFrom(TableSchema other) {
        Objects.requireNonNull(other, "other");
        return SchemaFacts.firstDifference(this, other);
    }

    /** Equal for two tables exactly when nothing {@link #differenceFrom differs}, but for chance. Text in hex. */
    public String fingerprint() {
        return SchemaFacts.fingerprint(this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TableSchema table
                && qualifiedName().equals(table.qualifiedName())
                && id.equals(table.id)
                && partitionKey.equals(table.partitionKey)
                && clustering.equals(table.clustering)
                && staticColumns.equals(table.staticColumns)
                && regularColumns.equals(table.regularColumns)
                && options.equals(table.options)
                && viewBase == table.viewBase
                && view == table.view
                && needsLiveness == table.needsLiveness
                && compactStorage == table.compactStorage;
    }

    @Override
    public int hashCode() {
        return Objects.hash(keyspace, name, id, partitionKey, clustering, staticColumns, regularColumns);
    }

    @Override
    public String toString() {
        return qualifiedName();
    }

    /**
     * Collects columns in the order of declaration. Types are given as CQL names them; names of columns as they are stored,
     * without quotes.
     *
     * <pre>{@code
     * TableSchema orders = TableSchema.builder("shop", "orders")
     *         .partitionKey("customer", "int")
     *         .clusteringDescending("placed", "timestamp")
     *         .staticColumn("name", "text")
     *         .column("tags", "set<text>")
     *         .options(TableOptions.DEFAULTS.withGcGraceSeconds(3600))
     *         .build();
     * }</pre>
     */
    public static final class Builder {
        private final String keyspace;
        private final String name;
        private final List<Column> partitionKey = new ArrayList<>();
        private final List<Column> clustering = new ArrayList<>();
        private final List<Column> staticColumns = new ArrayList<>();
        private final List<Column> regularColumns = new ArrayList<>();
        private final SchemaReader types = new SchemaReader("type");
        private String id;
        private TableOptions options = TableOptions.UNKNOWN;
        private boolean viewBase;
        private boolean compactStorage;
        private boolean view;
        private boolean needsLiveness;
        private Comparator<Column> columnOrder = Column::compareCanonically;

        private Builder(String keyspace, String name) {
            this.keyspace = keyspace;
            this.name = name;
        }

        public Builder id(String tableId) {
            id = Objects.requireNonNull(tableId, "tableId");
            return this;
        }

        public Builder options(TableOptions tableOptions) {
            options = Objects.requireNonNull(tableOptions, "tableOptions");
            return this;
        }

        public Builder viewBase(boolean isViewBase) {
            viewBase = isViewBase;
            return this;
        }

        /** Makes it a materialized view. */
        Builder view(boolean rowsNeedLiveness) {
            view = true;
            needsLiveness = rowsNeedLiveness;
            return this;
        }

        /** Says so only: the columns are to be given as they are stored. */
        public Builder compactStorage(boolean isCompactStorage) {
            compactStorage = isCompactStorage;
            return this;
        }

        /** Adds a column of the partition key. */
        public Builder partitionKey(String columnName, String cqlType) {
            Objects.requireNonNull(columnName, "columnName");
            Objects.requireNonNull(cqlType, "cqlType");
            return column(columnName, type(cqlType), Column.Kind.PARTITION_KEY);
        }

        /** Adds a clustering column in ascending order. */
        public Builder clustering(String columnName, String cqlType) {
            Objects.requireNonNull(columnName, "columnName");
            Objects.requireNonNull(cqlType, "cqlType");
            return column(columnName, type(cqlType), Column.Kind.CLUSTERING);
        }

        /** Adds a clustering column in descending order. */
        public Builder clusteringDescending(String columnName, String cqlType) {
            Objects.requireNonNull(columnName, "columnName");
            Objects.requireNonNull(cqlType, "cqlType");
            return column(columnName, CqlTypes.reversed(type(cqlType)), Column.Kind.CLUSTERING);
        }

        /** Adds a column with one value in each partition. */
        public Builder staticColumn(String columnName, String cqlType) {
            Objects.requireNonNull(columnName, "columnName");
            Objects.requireNonNull(cqlType, "cqlType");
            return column(columnName, type(cqlType), Column.Kind.STATIC);
        }

        /** Adds a column with one value in each row. */
        public Builder column(String columnName, String cqlType) {
            Objects.requireNonNull(columnName, "columnName");
            Objects.requireNonNull(cqlType, "cqlType");
            return column(columnName, type(cqlType), Column.Kind.REGULAR);
        }

        /**
         * Makes a user-defined type, which the types of columns and of other such types name after this.
         *
         * @param fields CQL types by name, in order
         */
        public Builder userType(String typeName, LinkedHashMap<String, String> fields) {
            Objects.requireNonNull(typeName, "typeName");
            Objects.requireNonNull(fields, "fields");
            types.declare(new UserType(
                    keyspace,
                    typeName,
                    List.copyOf(fields.keySet()),
                    fields.values().stream().map(this::type).toList(),
                    true));
            return this;
        }

        private CqlType type(String cqlType) {
            return types.type(cqlType, keyspace);
        }

        public Builder column(String columnName, CqlType type, Column.Kind kind) {
            return column(columnName, type, kind, Column.NEVER_DROPPED, false);
        }

        public Builder column(String columnName, CqlType type, Column.Kind kind, long dropTimeMicros, boolean dropped) {
            Objects.requireNonNull(columnName, "columnName");
            Objects.requireNonNull(type, "type");
            Objects.requireNonNull(kind, "kind");
            List<Column> columns = switch (kind) {
                case PARTITION_KEY -> partitionKey;
                case CLUSTERING -> clustering;
                case STATIC -> staticColumns;
                case REGULAR -> regularColumns;
            };
            columns.add(new Column(columnName, type, kind, columns.size(), dropTimeMicros, dropped));
            return this;
        }

        public TableSchema build() {
            if (partitionKey.isEmpty()) {
                throw new IllegalArgumentException("table has no partition key, table=" + keyspace + "." + name);
            }
            return new TableSchema(this);
        }
    }
}
