package io.anneal.conformance;

import io.anneal.bench.peer.BoundStatement;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Random writes to one table, values bound: every kind that CQL has but conditional ones. Keys, clusterings, values and
 * timestamps are few, so that writes meet and contradict each other.
 */
final class RandomWrites {
    private static final long TIMESTAMP_BASE_MICROS = 1_700_000_000_000_000L;
    private static final int TIMESTAMP_SPREAD_MICROS = 100;
    private static final int KEYS = 6;
    /** Some expire before the rows are read, some after, the last in 2030. */
    private static final int[] TTLS_SECONDS = {1, 60, 3_600, 86_400, 200_000_000};

    private static final List<String> LOWER = List.of(" > ", " >= ");
    private static final List<String> UPPER = List.of(" < ", " <= ");

    private final SplittableRandom random;
    private final RandomValues values;
    private final TableSchema schema;
    private final String name;
    private final List<List<byte[]>> keys;
    private final List<List<byte[]>> clusterings;
    private final List<Column> statics;
    private final List<Column> regulars;
    private final RandomTable table;
    private final List<String> typeChanges = new ArrayList<>();

    /** @param distinctClusterings how many values each clustering column has */
    RandomWrites(SplittableRandom random, RandomTable table, int distinctClusterings) {
        this.random = random;
        this.table = table;
        schema = table.schema();
        name = schema.qualifiedName();
        values = new RandomValues(random);
        keys = IntStream.range(0, KEYS).mapToObj(i -> key()).toList();
        clusterings = schema.clustering().stream()
                .map(column -> IntStream.range(0, distinctClusterings)
                        .mapToObj(i -> values.of(column.type()))
                        .toList())
                .toList();
        statics = new ArrayList<>(schema.staticColumns());
        regulars = new ArrayList<>(schema.regularColumns());
    }

    /** A key of one column is not empty. */
    private List<byte[]> key() {
        List<byte[]> key;
        do {
            key = schema.partitionKey().stream()
                    .map(column -> values.of(column.type()))
                    .toList();
        } while (key.size() == 1 && key.get(0).length == 0);
        return key;
    }

    List<BoundStatement> writes(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> random.nextInt(12) == 0 ? batch() : write().statement())
                .toList();
    }

    /** A column goes, or comes, or does both: what happens to a table between two flushes. */
    List<String> alter() {
        List<String> statements = new ArrayList<>();
        if (schema.hasCounters()) {
            return statements;
        }
        for (CqlType type : table.userTypes()) {
            if (random.nextInt(3) == 0 && !standsInVector(type)) {
                typeChanges.add("ALTER TYPE " + schema.keyspace() + "." + RandomTable.name(type) + " ADD later text");
            }
        }
        statements.addAll(typeChanges);
        for (List<Column> columns : List.of(regulars, statics)) {
            if (!columns.isEmpty() && random.nextInt(3) == 0) {
                dropOne(columns, statements);
            }
        }
        if (random.nextInt(3) == 0) {
            CqlType type = addedType();
            Column column = new Column(table.newName(type), type, Column.Kind.REGULAR, 0, 0, false);
            statements.add(add(column));
            regulars.add(column);
        }
        return statements;
    }

    /** Until it is restarted, Cassandra goes on with the old fields of a type that stands in a vector. */
    private boolean standsInVector(CqlType type) {
        return schema.allColumns().anyMatch(column -> isInVector(RandomTable.name(type), column.type(), false));
    }

    private static boolean isInVector(String name, CqlType at, boolean inside) {
        if (inside
                && at.kind() == CqlType.Kind.USER_TYPE
                && RandomTable.name(at).equals(name)) {
            return true;
        }
        boolean within = inside || at.kind() == CqlType.Kind.VECTOR;
        return at.components().stream().anyMatch(component -> isInVector(name, component, within));
    }

    /** The statements that changed user types so far. */
    List<String> typeChanges() {
        return List.copyOf(typeChanges);
    }

    private void dropOne(List<Column> columns, List<String> statements) {
        Column column = columns.get(random.nextInt(columns.size()));
        if (column.type().kind() == CqlType.Kind.USER_TYPE && column.type().isMultiCell()) {
            // Which Cassandra does not drop.
            return;
        }
        // Nor does it take back what has a user type in it: it remembers the fields of the type, and no name.
        boolean comesBack = random.nextBoolean() && !RandomTable.hasUserType(column.type());
        // It fails to read cells that are newer than the drop of a column which is not there.
        long dropMicros = comesBack ? timestamp() : TIMESTAMP_BASE_MICROS + TIMESTAMP_SPREAD_MICROS;
        columns.remove(column);
        statements.add("ALTER TABLE " + name + " DROP " + quoted(column.name()) + " USING TIMESTAMP " + dropMicros);
        if (comesBack) {
            statements.add(add(column));
            columns.add(column);
        }
    }

    /** One that needs no user type which is not there yet. */
    private CqlType addedType() {
        return random.nextBoolean() ? CqlTypes.TEXT : CqlTypes.map(CqlTypes.INT, CqlTypes.list(CqlTypes.BLOB));
    }

    private String add(Column column) {
        return "ALTER TABLE " + name + " ADD " + quoted(column.name()) + " "
                + column.type().cqlName() + (column.kind() == Column.Kind.STATIC ? " static" : "");
    }

    private BoundStatement batch() {
        Draft batch = new Draft();
        batch.text
                .append("BEGIN ")
                .append(schema.hasCounters() ? "COUNTER" : "UNLOGGED")
                .append(" BATCH ");
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            Draft write = write();
            batch.text.append(write.text).append("; ");
            batch.values.addAll(write.values);
        }
        batch.text.append("APPLY BATCH");
        return batch.statement();
    }

    private Draft write() {
        int kind = random.nextInt(20);
        if (schema.hasCounters()) {
            return kind < 16 ? count() : kind < 18 ? deleteCells() : deleteRows();
        }
        if (kind < 8 || regulars.isEmpty() && kind < 14) {
            return insert();
        }
        if (kind < 14) {
            return update(regulars);
        }
        if (kind == 14) {
            return statics.isEmpty() ? insert() : update(statics);
        }
        return kind < 17 ? deleteCells() : deleteRows();
    }

    private Draft insert() {
        Draft draft = new Draft();
        List<String> names = new ArrayList<>();
        bind(draft, names, schema.partitionKey(), keys.get(random.nextInt(KEYS)));
        boolean onlyStatic = !statics.isEmpty() && random.nextInt(8) == 0;
        if (!onlyStatic) {
            bind(draft, names, schema.clustering(), clustering());
        }
        List<Column> columns = new ArrayList<>();
        statics.stream().filter(column -> onlyStatic || random.nextInt(6) == 0).forEach(columns::add);
        if (!onlyStatic) {
            int present = List.of(1, 3, 9, 10).get(random.nextInt(4));
            regulars.stream().filter(column -> random.nextInt(10) < present).forEach(columns::add);
        }
        for (Column column : columns) {
            names.add(quoted(column.name()));
            draft.values.add(value(column.type()));
        }
        draft.text.append("INSERT INTO ").append(name).append(" (").append(String.join(", ", names));
        draft.text.append(") VALUES (?").append(", ?".repeat(names.size() - 1)).append(')');
        draft.text.append(usingWrite());
        return draft;
    }

    private static void bind(Draft draft, List<String> names, List<Column> columns, List<byte[]> bound) {
        for (int i = 0; i < columns.size(); i++) {
            names.add(quoted(columns.get(i).name()));
            draft.values.add(bound.get(i));
        }
    }

    private Draft update(List<Column> columns) {
        Draft draft = new Draft();
        draft.text.append("UPDATE ").append(name).append(usingWrite()).append(" SET ");
        List<Column> left = new ArrayList<>(columns);
        for (int i = Math.min(left.size(), 1 + random.nextInt(3)); i > 0; i--) {
            assign(draft, left.remove(random.nextInt(left.size())));
            draft.text.append(i == 1 ? "" : ", ");
        }
        whereKey(draft);
        if (columns == regulars) {
            where(draft, schema.clustering().size());
        }
        return draft;
    }

    private void assign(Draft draft, Column column) {
        String c = quoted(column.name());
        CqlType type = column.type();
        int choice = random.nextInt(5);
        if (!type.isMultiCell() || choice == 0) {
            draft.add(c + " = ?", value(type));
            return;
        }
        List<CqlType> parts = type.components();
        switch (type.kind()) {
            case LIST ->
                draft.add(
                        choice < 3 ? c + " = " + c + " + ?" : choice == 3 ? c + " = ? + " + c : c + " = " + c + " - ?",
                        values.of(type));
            case SET -> draft.add(c + " = " + c + (choice < 4 ? " + ?" : " - ?"), values.of(type));
            case MAP -> {
                switch (choice) {
                    case 1, 2 -> draft.add(c + "[?] = ?", values.of(parts.get(0)), value(parts.get(1)));
                    case 3 -> draft.add(c + " = " + c + " + ?", values.of(type));
                    default -> draft.add(c + " = " + c + " - ?", values.of(CqlTypes.set(parts.get(0))));
                }
            }
            default -> {
                int field = random.nextInt(parts.size());
                draft.add(c + "." + quoted(type.fieldNames().get(field)) + " = ?", value(parts.get(field)));
            }
        }
    }

    private Draft count() {
        Draft draft = new Draft();
        boolean ofStatic = regulars.isEmpty() || !statics.isEmpty() && random.nextInt(4) == 0;
        List<Column> columns = ofStatic ? statics : regulars;
        String column = quoted(columns.get(random.nextInt(columns.size())).name());
        draft.text.append("UPDATE ").append(name).append(" SET ");
        draft.add(
                column + " = " + column + (random.nextBoolean() ? " + ?" : " - ?"),
                ByteBuffer.allocate(Long.BYTES).putLong(random.nextInt(1000)).array());
        whereKey(draft);
        if (!ofStatic) {
            where(draft, schema.clustering().size());
        }
        return draft;
    }

    private Draft deleteCells() {
        List<Column> columns = statics.isEmpty() || random.nextInt(4) != 0 ? regulars : statics;
        if (columns.isEmpty()) {
            return deleteRows();
        }
        Draft draft = new Draft();
        Column column = columns.get(random.nextInt(columns.size()));
        CqlType type = column.type();
        String c = quoted(column.name());
        draft.text.append("DELETE ");
        if (!type.isMultiCell() || type.kind() == CqlType.Kind.LIST || random.nextInt(3) == 0) {
            draft.add(c);
        } else if (type.kind() == CqlType.Kind.USER_TYPE) {
            String field =
                    type.fieldNames().get(random.nextInt(type.fieldNames().size()));
            draft.add(c + "." + quoted(field));
        } else {
            draft.add(c + "[?]", values.of(type.components().get(0)));
        }
        draft.text.append(" FROM ").append(name).append(using());
        whereKey(draft);
        if (columns == regulars) {
            where(draft, schema.clustering().size());
        }
        return draft;
    }

    /** A row, a range of rows, or a partition. */
    private Draft deleteRows() {
        Draft draft = new Draft();
        draft.text.append("DELETE FROM ").append(name).append(using());
        whereKey(draft);
        int clusteringColumns = schema.clustering().size();
        int choice = random.nextInt(10);
        if (choice == 0 || clusteringColumns == 0) {
            return draft;
        }
        if (choice < 4) {
            where(draft, clusteringColumns);
            return draft;
        }
        int prefix = random.nextInt(clusteringColumns);
        where(draft, prefix);
        Column column = schema.clustering().get(prefix);
        List<byte[]> bounds = clusterings.get(prefix);
        int sides = 1 + random.nextInt(3);
        if ((sides & 1) != 0) {
            draft.add(" AND " + quoted(column.name()) + pick(LOWER) + "?", pick(bounds));
        }
        if ((sides & 2) != 0) {
            draft.add(" AND " + quoted(column.name()) + pick(UPPER) + "?", pick(bounds));
        }
        return draft;
    }

    private void whereKey(Draft draft) {
        List<byte[]> key = keys.get(random.nextInt(KEYS));
        for (int i = 0; i < key.size(); i++) {
            draft.add(
                    (i == 0 ? " WHERE " : " AND ")
                            + quoted(schema.partitionKey().get(i).name()) + " = ?",
                    key.get(i));
        }
    }

    private void where(Draft draft, int clusteringColumns) {
        for (int i = 0; i < clusteringColumns; i++) {
            draft.add(" AND " + quoted(schema.clustering().get(i).name()) + " = ?", pick(clusterings.get(i)));
        }
    }

    private List<byte[]> clustering() {
        return clusterings.stream().map(this::pick).toList();
    }

    private byte[] value(CqlType type) {
        return random.nextInt(10) == 0 ? null : values.of(type);
    }

    private String usingWrite() {
        return using()
                + (random.nextInt(4) == 0 ? " AND TTL " + TTLS_SECONDS[random.nextInt(TTLS_SECONDS.length)] : "");
    }

    private String using() {
        return schema.hasCounters() ? "" : " USING TIMESTAMP " + timestamp();
    }

    private long timestamp() {
        return TIMESTAMP_BASE_MICROS + random.nextInt(TIMESTAMP_SPREAD_MICROS);
    }

    private <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A statement in the making. */
    private static final class Draft {
        private final StringBuilder text = new StringBuilder();
        private final List<byte[]> values = new ArrayList<>();

        void add(String part, byte[]... bound) {
            text.append(part);
            values.addAll(Arrays.asList(bound));
        }

        BoundStatement statement() {
            return new BoundStatement(text.toString(), values);
        }
    }
}
