package io.anneal.fragment;

/** The five fragments. */
public enum FragmentKind {
    PARTITION_START,
    STATIC_ROW,
    CLUSTERING_ROW,
    RANGE_TOMBSTONE_CHANGE,
    PARTITION_END;

    /** {@link #code} of no fragment. */
    public static final int NONE = -1;

    private static final FragmentKind[] BY_CODE = values();

    /** A number for a cursor's field: a reference stored there would cost the collector's barrier at each fragment. */
    public static int code(FragmentKind kind) {
        return kind == null ? NONE : kind.ordinal();
    }

    /** What {@link #code} was made of. */
    public static FragmentKind ofCode(int code) {
        return code == NONE ? null : BY_CODE[code];
    }
}
