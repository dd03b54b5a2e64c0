package io.anneal.sstable.row;

/** Bits of the first bytes of rows, markers and cells, and the kinds of bounds; the package has the grammar. */
public final class UnfilteredFlags {
    public static final int END_OF_PARTITION = 0x01;
    public static final int IS_MARKER = 0x02;
    public static final int HAS_TIMESTAMP = 0x04;
    public static final int HAS_TTL = 0x08;
    public static final int HAS_DELETION = 0x10;
    public static final int HAS_ALL_COLUMNS = 0x20;
    public static final int HAS_COMPLEX_DELETION = 0x40;
    public static final int HAS_EXTENDED_FLAGS = 0x80;

    public static final int EXTENDED_IS_STATIC = 0x01;
    public static final int EXTENDED_SHADOWABLE_DELETION = 0x02;

    public static final int CELL_IS_DELETED = 0x01;
    public static final int CELL_IS_EXPIRING = 0x02;
    public static final int CELL_HAS_EMPTY_VALUE = 0x04;
    public static final int CELL_USES_ROW_TIMESTAMP = 0x08;
    public static final int CELL_USES_ROW_TTL = 0x10;

    public static final int EXCL_END_BOUND = 0;
    public static final int INCL_START_BOUND = 1;
    public static final int EXCL_END_INCL_START_BOUNDARY = 2;
    public static final int CLUSTERING = 4;
    public static final int INCL_END_EXCL_START_BOUNDARY = 5;
    public static final int INCL_END_BOUND = 6;
    public static final int EXCL_START_BOUND = 7;

    private UnfilteredFlags() {}
}
