package io.anneal.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Changes to a table, which are made together or not at all: what {@code ALTER TABLE} says. Allowed is what Cassandra 5.0
 * allows. Types are given as CQL names them; names of columns as they are stored, without quotes. One thread.
 *
 * <pre>{@code
 * store.alterTable(TableAlteration.of("shop.orders")
 *         .addColumn("note", "text")
 *         .dropColumn("item")
 *         .options(options -> options.withGcGraceSeconds(3600)));
 * }</pre>
 */
public final class TableAlteration {
    /** One of the changes, made to a draft. */
    @FunctionalInterface
    interface Change {
        void make(AlteredTable draft);
    }

    private final String qualifiedName;
    private final boolean ifExists;
    private final SchemaReader types;
    private final List<Change> changes = new ArrayList<>();

    TableAlteration(String qualifiedName, boolean ifExists, SchemaReader types) {
        this.qualifiedName = qualifiedName;
        this.ifExists = ifExists;
        this.types = types;
    }

    /**
     * Begins the changes to a table.
     *
     * @param qualifiedName keyspace, dot, table
     */
    public static TableAlteration of(String qualifiedName) {
        Objects.requireNonNull(qualifiedName, "qualifiedName");
        return new TableAlteration(qualifiedName, false, new SchemaReader("type"));
    }

    /**
     * Reads one {@code ALTER TABLE} statement, with the {@code CREATE TYPE}s that its columns need.
     *
     * @throws SchemaException when the text is wrong, or says something else
     */
    public static TableAlteration parse(String cql) {
        Objects.requireNonNull(cql, "cql");
        return new SchemaReader("text").readAlteration(cql);
    }

    /** The table, as {@code keyspace.table}. */
    public String qualifiedName() {
        return qualifiedName;
    }

    /** Whether a table that is not there is no mistake. */
    public boolean saysIfExists() {
        return ifExists;
    }

    /** Adds a column with one value in each row. */
    public TableAlteration addColumn(String name, String cqlType) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(cqlType, "cqlType");
        return change(draft -> draft.add(name, types.type(cqlType, draft.keyspace()), false, false));
    }

    /** Adds a column with one value in each partition; the table must have clustering columns. */
    public TableAlteration addStaticColumn(String name, String cqlType) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(cqlType, "cqlType");
        return change(draft -> draft.add(name, types.type(cqlType, draft.keyspace()), true, false));
    }

    /**
     * Makes a user-defined type, which the types of columns and of other such types name after this.
     *
     * @param fields CQL types by name, in order
     */
    public TableAlteration userType(String typeName, LinkedHashMap<String, String> fields) {
        Objects.requireNonNull(typeName, "typeName");
        Objects.requireNonNull(fields, "fields");
        return change(draft -> types.declare(new UserType(
                draft.keyspace(),
                typeName,
                List.copyOf(fields.keySet()),
                fields.values().stream()
                        .map(type -> types.type(type, draft.keyspace()))
                        .toList(),
                true)));
    }

    /** Drops a column that is not of the primary key, with all that was written to it before. */
    public TableAlteration dropColumn(String name) {
        Objects.requireNonNull(name, "name");
        return change(draft -> draft.drop(name, Optional.empty(), false));
    }

    /** Renames a column of the primary key. */
    public TableAlteration renameColumn(String name, String newName) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(newName, "newName");
        return change(draft -> draft.rename(name, newName, false));
    }

    /**
     * Changes the table's options.
     *
     * @param change gets those that the table has
     */
    public TableAlteration options(UnaryOperator<TableOptions> change) {
        Objects.requireNonNull(change, "change");
        return change(draft -> draft.options(change));
    }

    TableAlteration change(Change change) {
        changes.add(change);
        return this;
    }

    /** Makes a change that needs the type of a column, of a text that is being read. */
    TableAlteration add(String name, Function<String, CqlType> typeInKeyspace, boolean isStatic, boolean ifNotExists) {
        return change(draft -> draft.add(name, typeInKeyspace.apply(draft.keyspace()), isStatic, ifNotExists));
    }

    /**
     * The table with all the changes.
     *
     * @param nowMicros when columns are dropped that name no time: what was written to them up to then is never seen again
     * @throws SchemaException when a change is not allowed, or two contradict each other: it names the column and the reason
     * @throws UnsupportedTypeException when a type cannot be handled
     */
    public TableSchema applyTo(TableSchema table, long nowMicros) {
        Objects.requireNonNull(table, "table");
        AlteredTable draft = new AlteredTable(table, nowMicros);
        draft.userTypes().forEach(types::declareUnlessGiven);
        changes.forEach(change -> change.make(draft));
        return draft.build();
    }
}
