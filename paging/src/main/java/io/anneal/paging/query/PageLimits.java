package io.anneal.paging.query;

/**
 * Where a page ends, whichever comes first. A page takes at least one row or passes at least one tombstone, so that each page makes
 * progress; a row that is larger than {@code bytes} passes alone.
 *
 * @param rows at most
 * @param bytes of encoded items, after which the page ends
 * @param tombstones passed, as Cassandra counts them for its warnings, after which the page ends
 * @param filtered rows that a filter passed over, after which the page ends: else a page of which nothing is wanted would take for ever
 */
public record PageLimits(int rows, long bytes, int tombstones, int filtered) {
    public static final int ROWS_DEFAULT = 5_000;
    public static final long BYTES_DEFAULT = 1L << 20;
    public static final int TOMBSTONES_DEFAULT = 10_000;

    public static final int FILTERED_DEFAULT = 100_000;

    public static final PageLimits DEFAULT =
            new PageLimits(ROWS_DEFAULT, BYTES_DEFAULT, TOMBSTONES_DEFAULT, FILTERED_DEFAULT);

    public PageLimits {
        if (rows < 1 || bytes < 1 || tombstones < 1 || filtered < 1) {
            throw new IllegalArgumentException("limits of a page must be positive, rows=" + rows + ", bytes=" + bytes
                    + ", tombstones=" + tombstones + ", filtered=" + filtered);
        }
    }

    public PageLimits withRows(int most) {
        return new PageLimits(most, bytes, tombstones, filtered);
    }

    public PageLimits withBytes(long most) {
        return new PageLimits(rows, most, tombstones, filtered);
    }

    public PageLimits withTombstones(int most) {
        return new PageLimits(rows, bytes, most, filtered);
    }

    public PageLimits withFiltered(int most) {
        return new PageLimits(rows, bytes, tombstones, most);
    }
}
