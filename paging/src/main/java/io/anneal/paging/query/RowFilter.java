package io.anneal.paging.query;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;

/**
 * Which rows of what is read are wanted: conditions on key, clustering, static and plain columns that all hold. Immutable.
 *
 * @param conditions none for every row
 */
public record RowFilter(List<Condition> conditions) {
    /** Every row. */
    public static final RowFilter ALL = new RowFilter(List.of());

    private static final int CONDITIONS_MAX = 1024;

    public RowFilter {
        conditions = List.copyOf(conditions);
        if (conditions.size() > CONDITIONS_MAX) {
            throw new IllegalArgumentException("filter has too many conditions, conditions=" + conditions.size()
                    + ", conditionsMax=" + CONDITIONS_MAX);
        }
    }

    public boolean isAll() {
        return conditions.isEmpty();
    }

    public RowFilter and(Condition condition) {
        List<Condition> all = new ArrayList<>(conditions);
        all.add(condition);
        return new RowFilter(all);
    }

    /**
     * The filter over rows of a table.
     *
     * @throws IllegalArgumentException when a condition does not fit the table: names its column
     */
    public RowMatcher bind(TableSchema schema) {
        return new RowMatcher(schema, conditions);
    }

    /** Appends the number of conditions, then of each the column, the operator's number and the values. */
    public void encode(ByteWriter out) {
        out.writeUnsignedVInt(conditions.size());
        conditions.forEach(condition -> condition.encode(out));
    }

    /**
     * The reverse of {@link #encode}. That the conditions fit a table is checked by {@link #bind}.
     *
     * @throws io.anneal.io.ByteUnderflowException when a length runs over the end
     * @throws IllegalArgumentException when a number is not possible
     */
    public static RowFilter decode(ByteReader in) {
        int count = in.readUnsignedVInt32();
        if (count > CONDITIONS_MAX) {
            throw new IllegalArgumentException("filter has too many conditions, conditions=" + count);
        }
        List<Condition> conditions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            conditions.add(Condition.decode(in));
        }
        return new RowFilter(conditions);
    }
}
