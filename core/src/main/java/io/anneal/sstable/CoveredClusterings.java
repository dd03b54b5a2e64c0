package io.anneal.sstable;

import io.anneal.key.Clustering;
import io.anneal.schema.CqlType;
import java.util.List;

/**
 * The slice that holds every row and range deletion of an SSTable.
 *
 * @param types of the clustering columns, for {@link #toString()}
 */
public record CoveredClusterings(
        List<CqlType> types, Clustering start, boolean startInclusive, Clustering end, boolean endInclusive) {
    /** As Cassandra prints it: {@code [1:a, 2:b)}. */
    @Override
    public String toString() {
        return (startInclusive ? "[" : "(") + text(start) + ", " + text(end) + (endInclusive ? "]" : ")");
    }

    private String text(Clustering bound) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bound.size(); i++) {
            text.append(i == 0 ? "" : ":");
            text.append(
                    bound.isAbsent(i)
                            ? "null"
                            : types.get(i).toText(bound.buffer(), bound.offset(i), bound.lengthBytes(i)));
        }
        return text.toString();
    }
}
