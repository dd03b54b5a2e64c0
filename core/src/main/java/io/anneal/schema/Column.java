package io.anneal.schema;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One column of a table.
 *
 * @param index place among the columns of its kind: key and clustering columns as declared, static and regular ones in
 *     canonical order (simple before complex, then unsigned name bytes)
 * @param dropTimeMicros cells with a timestamp up to this are ignored; {@link #NEVER_DROPPED} when no column of the name
 *     was ever dropped
 * @param dropped whether the column is gone from the table now (it may have been dropped and added again)
 */
public record Column(String name, CqlType type, Kind kind, int index, long dropTimeMicros, boolean dropped) {
    public static final long NEVER_DROPPED = Long.MIN_VALUE;

    /** What a column is for. */
    public enum Kind {
        PARTITION_KEY,
        CLUSTERING,
        STATIC,
        REGULAR
    }

    public byte[] nameBytes() {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    public boolean isComplex() {
        return type.isMultiCell();
    }

    /** Canonical order of static or regular columns. */
    static int compareCanonically(Column left, Column right) {
        if (left.isComplex() != right.isComplex()) {
            return left.isComplex() ? 1 : -1;
        }
        return Arrays.compareUnsigned(left.nameBytes(), right.nameBytes());
    }
}
