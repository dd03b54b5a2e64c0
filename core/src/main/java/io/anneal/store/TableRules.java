package io.anneal.store;

import io.anneal.schema.Column;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.table.TableCatalogue;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/** Which tables a store makes: what it refuses, and why. Reading is more lenient, since what was written is there. */
final class TableRules {
    private static final Pattern NAME = Pattern.compile("\\w+");
    private static final int KEYSPACE_LENGTH_MAX = 48;

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
                "option of a table has a wrong value, option=gc_grace_seconds, value=-1");
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
                        && !column.type().ascending().equals(CqlTypes.DURATION);
                require(fits, table, column, "column cannot be in the primary key");
            }
        }
        for (Column column : table.staticColumns()) {
            require(!table.clustering().isEmpty(), table, column, "static column in a table without clustering");
            requireCountersAlone(table, column);
        }
        table.regularColumns().forEach(column -> requireCountersAlone(table, column));
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
