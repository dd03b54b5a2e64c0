package io.anneal.key;

import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.util.List;

/**
 * Order of clusterings and of places around them. A place is a prefix with a weight: {@link #BEFORE} or {@link #AFTER}
 * everything that begins with the prefix, or {@link #AT} a row. Allocates nothing. Immutable.
 */
public final class ClusteringComparator {
    public static final int BEFORE = -1;
    public static final int AT = 0;
    public static final int AFTER = 1;

    private final CqlType[] types;

    public ClusteringComparator(List<CqlType> clusteringTypes) {
        this(clusteringTypes.toArray(CqlType[]::new));
    }

    private ClusteringComparator(CqlType[] types) {
        this.types = types;
    }

    public static ClusteringComparator of(TableSchema schema) {
        // No stream: every read of a single row makes one.
        List<Column> columns = schema.clustering();
        CqlType[] types = new CqlType[columns.size()];
        for (int i = 0; i < types.length; i++) {
            types[i] = columns.get(i).type();
        }
        return new ClusteringComparator(types);
    }

    /** Number of clustering columns. */
    public int size() {
        return types.length;
    }

    public CqlType type(int component) {
        return types[component];
    }

    /** Order of two rows' clusterings. */
    public int compare(Clustering left, Clustering right) {
        return compare(left, AT, right, AT);
    }

    /** Order of two places. */
    public int compare(Clustering left, int leftWeight, Clustering right, int rightWeight) {
        int common = Math.min(left.size(), right.size());
        for (int i = 0; i < common; i++) {
            int order = compareComponent(i, left, right);
            if (order != 0) {
                return order;
            }
        }
        if (left.size() == right.size()) {
            return Integer.compare(leftWeight, rightWeight);
        }
        return left.size() < right.size() ? leftWeight : -rightWeight;
    }

    private int compareComponent(int component, Clustering left, Clustering right) {
        int leftLength = left.lengthBytes(component);
        int rightLength = right.lengthBytes(component);
        if (leftLength == Clustering.ABSENT || rightLength == Clustering.ABSENT) {
            return Boolean.compare(leftLength != Clustering.ABSENT, rightLength != Clustering.ABSENT);
        }
        return types[component].compare(
                left.buffer(),
                left.offset(component),
                leftLength,
                right.buffer(),
                right.offset(component),
                rightLength);
    }
}
