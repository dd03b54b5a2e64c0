package io.anneal.schema;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One column of a table.
 *
 * @param index place among the columns of its kind: key and clustering columns as declared, static and regular ones in
 *     canonical order, which is Cassandra's: simple before complex, names whose first byte is 0x80 or more before all
 *     others, then unsigned name bytes
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

    /**
     * Canonical order of static or regular columns, which is Cassandra's. It compares the names' first bytes by numbers whose
     * top bit is flipped, but as if they were unsigned.
     */
    static int compareCanonically(Column left, Column right) {
        if (left.isComplex() == right.isComplex()) {
            boolean isRightNonAscii = startsNonAscii(right.nameBytes());
            if (startsNonAscii(left.nameBytes()) != isRightNonAscii) {
                return isRightNonAscii ? 1 : -1;
            }
        }
        return compareFormerly(left, right);
    }

    private static boolean startsNonAscii(byte[] name) {
        return name.length > 0 && name[0] < 0;
    }

    /** Order by which releases numbered columns that spoke version 1 of the row encoding: unsigned bytes alone. */
    public static int compareFormerly(Column left, Column right) {
        if (left.isComplex() != right.isComplex()) {
            return left.isComplex() ? 1 : -1;
        }
        return Arrays.compareUnsigned(left.nameBytes(), right.nameBytes());
    }
}
