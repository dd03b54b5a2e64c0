package io.anneal.fragment;

/** The five fragments. */
public enum FragmentKind {
    PARTITION_START,
    STATIC_ROW,
    CLUSTERING_ROW,
    RANGE_TOMBSTONE_CHANGE,
    PARTITION_END
}
