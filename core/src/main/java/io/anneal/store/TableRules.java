package io.anneal.store;

import io.anneal.schema.Column;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.SchemaException;
import io.anneal.schema.SystemKeyspaces;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.table.TableCatalogue;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/** Which tables a store makes: what it refuses, and why. Reading is more lenient, since what was written is there. */
final class TableRules {
    private static final Pattern NAME = Pattern.compile("\\w+");
    private static final int KEYSPACE_LENGTH_MAX = 48;
    private static final int COLUMN_NAME_MAX_BYTES = 0xFFFF;

    private TableRules() {}

    /**
     * The one table of a text.
     *
     * @throws SchemaException when the text is wrong, or describes no table or several
     * @throws UnsupportedTypeException when the table, or a type in it, cannot be handled
     */
    static TableSchema only(CqlSchema text) {
        Collection<TableSchema> described = text.tables();
        if (!text.refusals().isEmpty()) {
            throw new UnsupportedTypeException(
                    text.refusals().values().iterator().next());
        }
        if (described.size() != 1) {
            throw new SchemaException("text does not describe one table, tables="
                    + described.stream().map(TableSchema::qualifiedName).toList());
        }
        TableSchema table = described.iterator().next();
        // A text that says nothing has Cassandra's default.
        require(
                table.options().gcGraceSeconds() != TableOptions.GC_GRACE_UNKNOWN,
                table,
                "option of a table has a wrong value, option=gc_grace_seconds, value=-1, allowed=a whole number from 0 to "
                        + Integer.MAX_VALUE);
        return table;
    }

    /**
     * The table as it will be made: where nothing is known of gc grace, with Cassandra's default.
     *
     * @throws SchemaException when a store cannot hold it
     */
    static TableSchema accepted(TableSchema table) {
        requireName("keyspace", table.keyspace(), KEYSPACE_LENGTH_MAX);
        requireName("table", table.name(), TableCatalogue.TABLE_NAME_LENGTH_MAX);
        SystemKeyspaces.refuse(table);
        require(!table.isViewBase(), table, "table feeds materialized views, which a store does not keep");
        require(!table.options().cdc(), table, "table wants its changes captured (cdc), which a store does not do");
        requireColumns(table);
        OptionRules.check(table);
        TableOptions options = table.options();
        return options.gcGraceSeconds() == TableOptions.GC_GRACE_UNKNOWN
                ? table.withOptions(options.withGcGraceSeconds(TableOptions.DEFAULTS.gcGraceSeconds()))
                : table;
    }

    private static void requireName(String what, String name, int lengthMax) {
        if (!NAME.matcher(name).matches() || name.length() > lengthMax) {
            throw new SchemaException("name is not made of letters, digits and underscores, or is too long, " + what
                    + "=" + name + ", lengthMax=" + lengthMax);
        }
    }

    private static void requireColumns(TableSchema table) {
        for (List<Column> key : List.of(table.partitionKey(), table.clustering())) {
            for (Column column : key) {
                boolean fits = !column.type().isMultiCell()
                        && !column.type().isCounter()
                        && !has(column.type(), CqlTypes.DURATION);
                require(fits, table, column, "column cannot be in the primary key");
                requireHeld(table, column);
            }
        }
        for (Column column : table.staticColumns()) {
            require(!table.clustering().isEmpty(), table, column, "static column in a table without clustering");
            requireCountersAlone(table, column);
            requireHeld(table, column);
        }
        for (Column column : table.regularColumns()) {
            requireCountersAlone(table, column);
            requireHeld(table, column);
        }
    }

    /** What a name and a type must be for files and for Cassandra; columns that are dropped or hidden nobody writes. */
    private static void requireHeld(TableSchema table, Column column) {
        if (column.dropped() || table.isHidden(column)) {
            return;
        }
        String name = column.name();
        int lengthBytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes == 0
                || lengthBytes > COLUMN_NAME_MAX_BYTES
                || !StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new SchemaException("name of a column is empty, too long or no text, table=" + table.qualifiedName()
                    + ", lengthBytes=" + lengthBytes + ", lengthMaxBytes=" + COLUMN_NAME_MAX_BYTES + ", kind="
                    + column.kind() + ", index=" + column.index());
        }
        CqlType type = column.type().ascending();
        require(type.isCounter() || !has(type, CqlTypes.COUNTER), table, column, "counters are within another type");
        require(!ordersDurations(type), table, column, "durations are no elements of sets and no keys of maps");
        require(
                !(type.kind() == CqlType.Kind.USER_TYPE
                        && type.isMultiCell()
                        && type.components().stream().anyMatch(CqlType::isMultiCell)),
                table,
                column,
                "user-defined type that is not frozen has a field that is not either");
    }

    private static boolean has(CqlType type, CqlType wanted) {
        return type.ascending().equals(wanted)
                || type.ascending().components().stream().anyMatch(component -> has(component, wanted));
    }

    /** Durations have no order: a month is longer than 30 days, or shorter. */
    private static boolean ordersDurations(CqlType type) {
        boolean ordered = type.kind() == CqlType.Kind.SET || type.kind() == CqlType.Kind.MAP;
        return ordered && type.components().get(0).equals(CqlTypes.DURATION)
                || type.components().stream().anyMatch(TableRules::ordersDurations);
    }

    private static void requireCountersAlone(TableSchema table, Column column) {
        boolean fits = column.type().isCounter() == table.hasCounters() || column.dropped() || table.isHidden(column);
        require(fits, table, column, "counters and other columns are in one table");
    }

    private static void require(boolean fits, TableSchema table, Column column, String reason) {
        if (!fits) {
            throw new SchemaException(reason + ", table=" + table.qualifiedName() + ", column=" + column.name()
                    + ", type=" + column.type().cqlName());
        }
    }

    private static void require(boolean fits, TableSchema table, String reason) {
        if (!fits) {
            throw new SchemaException(reason + ", table=" + table.qualifiedName());
        }
    }
}
