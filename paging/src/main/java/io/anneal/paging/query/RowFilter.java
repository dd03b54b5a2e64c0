package io.anneal.paging.query;

/**
 * Which rows of what is read are wanted: conditions that all hold, on key, clustering and plain columns. Immutable; evaluated by a
 * reader that belongs to one thread.
 */
public final class RowFilter {
    /** Every row. */
    public static final RowFilter ALL = new RowFilter();

    private RowFilter() {}

    public boolean isAll() {
        return this == ALL;
    }
}
