package io.anneal.schema;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** A table while it is altered: refuses what Cassandra 5.0 refuses. Dropped columns stay in it, with the time of the drop. */
final class AlteredTable {
    private final TableSchema table;
    private final long nowMicros;
    private final List<Column> columns;
    private TableOptions options;

    AlteredTable(TableSchema table, long nowMicros) {
        this.table = table;
        this.nowMicros = nowMicros;
        columns = new ArrayList<>(table.allColumns().toList());
        options = table.options();
    }

    String keyspace() {
        return table.keyspace();
    }

    /** Those that the columns are made of, as they are declared. */
    Collection<UserType> userTypes() {
        return SchemaText.userTypes(table).values().stream()
                .map(type -> new UserType(type.keyspace(), type.name(), type.fieldNames(), type.components(), true))
                .toList();
    }

    void add(String name, CqlType type, boolean isStatic, boolean ifNotExists) {
        Optional<Column> before = find(name);
        if (before.isPresent() && !before.get().dropped()) {
            require(ifNotExists, name, "column is there already");
            return;
        }
        require(!table.isCompactStorage(), name, "column cannot be added to a table WITH COMPACT STORAGE");
        require(
                !isStatic || !table.clustering().isEmpty(),
                name,
                "static column is added to a table without clustering columns");
        require(
                type.isCounter() == table.hasCounters(),
                name,
                table.hasCounters()
                        ? "column that is no counter is added to a table of counters"
                        : "counter is added to a table of other columns");
        before.ifPresent(dropped -> requireReadable(dropped, type, isStatic));
        Column.Kind kind = isStatic ? Column.Kind.STATIC : Column.Kind.REGULAR;
        long dropTimeMicros = before.map(Column::dropTimeMicros).orElse(Column.NEVER_DROPPED);
        before.ifPresent(columns::remove);
        columns.add(new Column(name, type, kind, columns.size(), dropTimeMicros, false));
    }

    /** Its old cells are in SSTables still, and are read by the new type until a compaction drops them. */
    private void requireReadable(Column dropped, CqlType type, boolean isStatic) {
        String name = dropped.name();
        require(!type.isCounter(), name, "counter that was dropped cannot be added again");
        require(
                isStatic == (dropped.kind() == Column.Kind.STATIC),
                name,
                "column was dropped as one of another kind, droppedKind=" + dropped.kind());
        require(
                type.reads(dropped.type())
                        && type.fixedLengthBytes() == dropped.type().fixedLengthBytes(),
                name,
                "column was dropped with a type whose values the new one cannot read, type=" + type.cqlName()
                        + ", droppedType=" + dropped.type().cqlName());
    }

    void drop(String name, Optional<Long> timestampMicros, boolean ifExists) {
        Optional<Column> found = existing(name, ifExists);
        if (found.isEmpty()) {
            return;
        }
        Column column = found.get();
        require(!isInKey(column), name, "column of the primary key cannot be dropped");
        require(
                !(column.type() instanceof UserType && column.isComplex()),
                name,
                "column of a user-defined type that is not frozen cannot be dropped");
        // A drop before this one hides what it hid.
        long dropTimeMicros = Math.max(timestampMicros.orElse(nowMicros), column.dropTimeMicros());
        require(dropTimeMicros != Column.NEVER_DROPPED, name, "timestamp is reserved for none");
        replace(column, new Column(name, column.type(), column.kind(), column.index(), dropTimeMicros, true));
    }

    void rename(String name, String newName, boolean ifExists) {
        Optional<Column> found = existing(name, ifExists);
        if (found.isEmpty()) {
            return;
        }
        Column column = found.get();
        require(isInKey(column), name, "only columns of the primary key can be renamed");
        find(newName).ifPresent(other -> {
            throw refused(
                    newName,
                    other.dropped()
                            ? "column cannot be renamed to one that was dropped: its values may be in SSTables"
                            : "column is there already");
        });
        replace(
                column,
                new Column(
                        newName,
                        column.type(),
                        column.kind(),
                        column.index(),
                        column.dropTimeMicros(),
                        column.dropped()));
    }

    void options(UnaryOperator<TableOptions> change) {
        options = change.apply(options);
        boolean isForgotten = options.gcGraceSeconds() == TableOptions.GC_GRACE_UNKNOWN
                && table.options().gcGraceSeconds() != TableOptions.GC_GRACE_UNKNOWN;
        if (isForgotten) {
            throw new SchemaException("option of a table has a wrong value, option=gc_grace_seconds, value="
                    + options.gcGraceSeconds() + ", table=" + table.qualifiedName());
        }
    }

    private Optional<Column> find(String name) {
        return columns.stream().filter(column -> column.name().equals(name)).findFirst();
    }

    private Optional<Column> existing(String name, boolean ifExists) {
        Optional<Column> found = find(name).filter(column -> !column.dropped());
        require(found.isPresent() || ifExists, name, "no such column");
        return found;
    }

    private static boolean isInKey(Column column) {
        return column.kind() == Column.Kind.PARTITION_KEY || column.kind() == Column.Kind.CLUSTERING;
    }

    private void replace(Column before, Column after) {
        columns.set(columns.indexOf(before), after);
    }

    private void require(boolean allowed, String column, String reason) {
        if (!allowed) {
            throw refused(column, reason);
        }
    }

    private SchemaException refused(String column, String reason) {
        return new SchemaException(
                "table cannot be altered so: " + reason + ", table=" + table.qualifiedName() + ", column=" + column);
    }

    TableSchema build() {
        TableSchema altered = table.with(columns, options);
        Map<String, UserType> known = new LinkedHashMap<>();
        altered.allColumns().forEach(column -> requireOneForm(column, column.type(), known));
        return altered;
    }

    /** A type's name means one type, in a schema text as in a keyspace. */
    private void requireOneForm(Column column, CqlType type, Map<String, UserType> known) {
        type.components().forEach(component -> requireOneForm(column, component, known));
        if (type instanceof UserType userType) {
            UserType other = known.putIfAbsent(userType.keyspace() + "." + userType.name(), userType);
            require(
                    other == null || other.frozen().equals(userType.frozen()),
                    column.name(),
                    "user-defined type has other fields in another column, type=" + userType.name());
        }
    }
}
