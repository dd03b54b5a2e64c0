package io.anneal.paging.query;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What the value of a column must be: compared with one value, or with several of which one must be equal. A row that has no value
 * there never meets it. Values are serialized as their type says and follow its order; in a descending column they compare as values
 * all the same. Immutable by agreement.
 *
 * @param column by name
 * @param values one, or with {@link Operator#IN} one at least
 */
public record Condition(String column, Operator operator, List<byte[]> values) {
    private static final int VALUES_MAX = 1 << 16;
    private static final String DURATION = "duration";

    /** How a column's value stands to the condition's. */
    public enum Operator {
        EQUAL("="),
        NOT_EQUAL("!="),
        LESS("<"),
        AT_MOST("<="),
        GREATER(">"),
        AT_LEAST(">="),
        IN("IN");

        private static final List<Operator> ALL = List.of(values());

        private final String text;

        Operator(String text) {
            this.text = text;
        }

        /** As users write it. */
        public String text() {
            return text;
        }

        boolean holds(int comparison) {
            return switch (this) {
                case EQUAL, IN -> comparison == 0;
                case NOT_EQUAL -> comparison != 0;
                case LESS -> comparison < 0;
                case AT_MOST -> comparison <= 0;
                case GREATER -> comparison > 0;
                case AT_LEAST -> comparison >= 0;
            };
        }

        private boolean isEquality() {
            return this == EQUAL || this == NOT_EQUAL || this == IN;
        }

        /** @throws IllegalArgumentException when there is none of this text */
        public static Operator of(String text) {
            return ALL.stream()
                    .filter(operator -> operator.text.equalsIgnoreCase(text.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("operator is unknown, operator=" + text + ", known="
                            + ALL.stream().map(Operator::text).collect(Collectors.joining(" "))));
        }
    }

    public Condition {
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(operator, "operator");
        Objects.requireNonNull(values, "values");
        values = List.copyOf(values);
        boolean fits = operator == Operator.IN ? !values.isEmpty() && values.size() <= VALUES_MAX : values.size() == 1;
        if (!fits) {
            throw new IllegalArgumentException("condition has a wrong number of values, column=" + column
                    + ", operator=" + operator.text() + ", values=" + values.size());
        }
    }

    /**
     * A condition on a column of a table.
     *
     * @param value as {@link JavaValues} lists it; with {@link Operator#IN} a collection of them
     * @throws IllegalArgumentException naming the column when the table has none of this name, the value is none of its type, or its
     *     values have no order
     */
    public static Condition of(TableSchema schema, String column, Operator operator, Object value) {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(operator, "operator");
        CqlType type = column(schema, column, operator).type().ascending();
        Collection<?> wanted = operator == Operator.IN && value instanceof Collection<?> many
                ? many
                : Collections.singletonList(value);
        List<byte[]> values = new ArrayList<>(wanted.size());
        for (Object one : wanted) {
            try {
                values.add(JavaValues.toBytes(type, Objects.requireNonNull(one, "value")));
            } catch (IllegalArgumentException | NullPointerException e) {
                throw new IllegalArgumentException(
                        "value does not fit the column, column=" + column + ", type=" + type.cqlName() + ", reason="
                                + e.getMessage(),
                        e);
            }
        }
        return new Condition(column, operator, values);
    }

    /**
     * The column of a condition.
     *
     * @throws IllegalArgumentException when there is none that can be compared so
     */
    static Column column(TableSchema schema, String name, Operator operator) {
        Column column = schema.column(name)
                .filter(known -> !known.dropped() && !schema.isHidden(known))
                .orElseThrow(() -> new IllegalArgumentException(
                        "table has no such column, table=" + schema.qualifiedName() + ", column=" + name));
        CqlType type = column.type().ascending();
        if (type.isMultiCell() || type.isCounter()) {
            throw new IllegalArgumentException("a condition needs a plain column, neither a collection nor a counter,"
                    + " column=" + name + ", type=" + type.cqlName());
        }
        if (type.cqlName().equals(DURATION) && !operator.isEquality()) {
            throw new IllegalArgumentException(
                    "durations have no order, column=" + name + ", operator=" + operator.text());
        }
        return column;
    }

    void encode(ByteWriter out) {
        byte[] name = column.getBytes(StandardCharsets.UTF_8);
        out.writeUnsignedVInt(name.length);
        out.writeBytes(name);
        out.writeByte(operator.ordinal());
        out.writeUnsignedVInt(values.size());
        for (byte[] value : values) {
            out.writeUnsignedVInt(value.length);
            out.writeBytes(value);
        }
    }

    static Condition decode(ByteReader in) {
        String name = new String(in.readBytes(in.readUnsignedVInt32()), StandardCharsets.UTF_8);
        int code = in.readUnsignedByte();
        int count = in.readUnsignedVInt32();
        if (code >= Operator.ALL.size() || count > Math.min(VALUES_MAX, in.remainingBytes())) {
            throw new IllegalArgumentException(
                    "condition is malformed, column=" + name + ", operator=" + code + ", values=" + count);
        }
        List<byte[]> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            values.add(in.readBytes(in.readUnsignedVInt32()));
        }
        return new Condition(name, Operator.ALL.get(code), values);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Condition condition
                && column.equals(condition.column)
                && operator == condition.operator
                && Arrays.deepEquals(values.toArray(), condition.values.toArray());
    }

    @Override
    public int hashCode() {
        return Objects.hash(column, operator, Arrays.deepHashCode(values.toArray()));
    }
}
