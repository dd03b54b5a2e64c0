package io.anneal.paging;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.Condition;
import io.anneal.paging.query.Condition.Operator;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.RowFilter;
import io.anneal.schema.Column;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a scan reads and what it only filters: conditions that fix the partition key become partitions to read, those on the first
 * clustering columns of such partitions become slices, all others stay conditions on each row. Immutable.
 *
 * @param ranges none where partitions are named
 */
record ReadPlan(List<TokenRange> ranges, List<DecoratedKey> keys) {
    /** More partitions than that are found faster by a scan. */
    private static final int KEYS_MAX = 10_000;

    private static final int SLICES_MAX = 1_000;
    private static final Set<Operator> LOWER = Set.of(Operator.GREATER, Operator.AT_LEAST);
    private static final Set<Operator> UPPER = Set.of(Operator.LESS, Operator.AT_MOST);

    static ReadPlan ofRanges(List<TokenRange> ranges) {
        return new ReadPlan(ranges, List.of());
    }

    static ReadPlan ofKeys(TableSchema schema, List<? extends List<?>> keys) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("no partition is given, table=" + schema.qualifiedName());
        }
        return new ReadPlan(
                List.of(), keys.stream().map(values -> key(schema, values)).toList());
    }

    private static DecoratedKey key(TableSchema schema, List<?> values) {
        List<Column> columns = schema.partitionKey();
        if (values.size() != columns.size()) {
            throw new IllegalArgumentException("values do not fit the partition key, table=" + schema.qualifiedName()
                    + ", columns=" + columns.stream().map(Column::name).toList() + ", values=" + values.size());
        }
        byte[][] parts = new byte[columns.size()][];
        for (int i = 0; i < parts.length; i++) {
            try {
                parts[i] = JavaValues.toBytes(columns.get(i).type(), values.get(i));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        e.getMessage() + ", column=" + columns.get(i).name(), e);
            }
        }
        return DecoratedKey.ofComponents(parts);
    }

    /**
     * The query of a table's rows that meet conditions.
     *
     * @throws IllegalArgumentException when a condition does not fit the table, or a scan of ranges is to be reversed
     */
    ReadQuery query(TableSchema schema, List<Condition> conditions, boolean reversed) {
        List<Condition> left = new ArrayList<>(conditions);
        List<DecoratedKey> named = keys;
        if (ranges.equals(List.of(TokenRange.FULL))) {
            named = keys(schema, left);
        }
        if (named.isEmpty()) {
            if (reversed) {
                throw new IllegalArgumentException(
                        "only partitions that are named can be read in reverse: give the whole partition key, table="
                                + schema.qualifiedName());
            }
            return ReadQuery.ofRanges(ranges).where(filter(schema, left));
        }
        Slices slices = slices(schema, left);
        return ReadQuery.ofPartitions(named, slices, reversed).where(filter(schema, left));
    }

    private static RowFilter filter(TableSchema schema, List<Condition> conditions) {
        RowFilter filter = new RowFilter(conditions);
        filter.bind(schema);
        return filter;
    }

    /** The partitions that conditions name, which are taken out; none, and nothing is taken out, if they don't. */
    private static List<DecoratedKey> keys(TableSchema schema, List<Condition> conditions) {
        List<Condition> used = new ArrayList<>();
        List<List<byte[]>> parts = List.of(List.of());
        for (Column column : schema.partitionKey()) {
            Optional<Condition> fixing = find(conditions, column, Set.of(Operator.EQUAL, Operator.IN));
            if (fixing.isEmpty() || (long) parts.size() * fixing.get().values().size() > KEYS_MAX) {
                return List.of();
            }
            used.add(fixing.get());
            parts = product(parts, fixing.get().values());
        }
        conditions.removeAll(used);
        return parts.stream()
                .map(values -> DecoratedKey.ofComponents(values.toArray(byte[][]::new)))
                .toList();
    }

    private static Optional<Condition> find(List<Condition> conditions, Column column, Set<Operator> operators) {
        return conditions.stream()
                .filter(condition ->
                        condition.column().equals(column.name()) && operators.contains(condition.operator()))
                .findFirst();
    }

    private static List<List<byte[]>> product(List<List<byte[]>> prefixes, List<byte[]> values) {
        List<List<byte[]>> all = new ArrayList<>(prefixes.size() * values.size());
        for (List<byte[]> prefix : prefixes) {
            for (byte[] value : values) {
                List<byte[]> longer = new ArrayList<>(prefix);
                longer.add(value);
                all.add(longer);
            }
        }
        return all;
    }

    /** The rows that conditions on the first clustering columns name, which are taken out. */
    private static Slices slices(TableSchema schema, List<Condition> conditions) {
        List<List<byte[]>> prefixes = List.of(List.of());
        for (Column column : schema.clustering()) {
            Optional<Condition> fixing = find(conditions, column, Set.of(Operator.EQUAL, Operator.IN));
            if (fixing.isEmpty()
                    || (long) prefixes.size() * fixing.get().values().size() > SLICES_MAX) {
                return between(schema, column, prefixes, conditions);
            }
            conditions.remove(fixing.get());
            prefixes = product(prefixes, fixing.get().values());
        }
        return slices(schema, prefixes, Optional.empty(), Optional.empty());
    }

    /** Rows of each prefix whose next column lies between bounds, if there are any. */
    private static Slices between(
            TableSchema schema, Column column, List<List<byte[]>> prefixes, List<Condition> conditions) {
        boolean descending = column.type().isReversed();
        Optional<Condition> lower = find(conditions, column, descending ? UPPER : LOWER);
        Optional<Condition> upper = find(conditions, column, descending ? LOWER : UPPER);
        lower.ifPresent(conditions::remove);
        upper.ifPresent(conditions::remove);
        return slices(schema, prefixes, lower, upper);
    }

    private static Slices slices(
            TableSchema schema, List<List<byte[]>> prefixes, Optional<Condition> lower, Optional<Condition> upper) {
        if (prefixes.get(0).isEmpty() && lower.isEmpty() && upper.isEmpty()) {
            return Slices.ALL;
        }
        List<Slice> slices = prefixes.stream()
                .map(prefix -> Slice.between(
                        bound(prefix, lower), isInclusive(lower),
                        bound(prefix, upper), isInclusive(upper)))
                .toList();
        return Slices.of(ClusteringComparator.of(schema), slices);
    }

    private static Clustering bound(List<byte[]> prefix, Optional<Condition> next) {
        byte[][] values = prefix.toArray(byte[][]::new);
        if (next.isPresent()) {
            values = Arrays.copyOf(values, values.length + 1);
            values[values.length - 1] = next.get().values().get(0);
        }
        return Clustering.of(values);
    }

    private static boolean isInclusive(Optional<Condition> bound) {
        return bound.isEmpty()
                || bound.get().operator() == Operator.AT_LEAST
                || bound.get().operator() == Operator.AT_MOST;
    }
}
