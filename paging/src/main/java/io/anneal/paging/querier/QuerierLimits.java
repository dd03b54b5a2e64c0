package io.anneal.paging.querier;

import java.time.Duration;

/**
 * What bounds the paged reads of a process. Immutable.
 *
 * @param reads pages that are read at once; others wait
 * @param bytes heap for pages that are read, and for queriers between two pages
 * @param patience how long a page waits for the others at most
 * @param idle how long a querier is kept for the next page
 * @param obsoleteBytes memtables that are flushed and SSTables that were compacted away, which one querier may keep from being freed
 */
public record QuerierLimits(int reads, long bytes, Duration patience, Duration idle, long obsoleteBytes) {
    private static final int READS_DEFAULT = 32;
    private static final long BYTES_DEFAULT = 64L << 20;
    private static final Duration PATIENCE_DEFAULT = Duration.ofSeconds(10);
    private static final Duration IDLE_DEFAULT = Duration.ofSeconds(10);
    private static final long OBSOLETE_BYTES_DEFAULT = 64L << 20;

    public static final QuerierLimits DEFAULT =
            new QuerierLimits(READS_DEFAULT, BYTES_DEFAULT, PATIENCE_DEFAULT, IDLE_DEFAULT, OBSOLETE_BYTES_DEFAULT);

    public QuerierLimits {
        if (reads < 1 || bytes < 1 || patience.isNegative() || idle.isNegative() || obsoleteBytes < 0) {
            throw new IllegalArgumentException("limits of queriers are out of range, reads=" + reads + ", bytes="
                    + bytes + ", patience=" + patience + ", idle=" + idle + ", obsoleteBytes=" + obsoleteBytes);
        }
    }

    public QuerierLimits withReads(int most) {
        return new QuerierLimits(most, bytes, patience, idle, obsoleteBytes);
    }

    public QuerierLimits withBytes(long most) {
        return new QuerierLimits(reads, most, patience, idle, obsoleteBytes);
    }

    public QuerierLimits withPatience(Duration most) {
        return new QuerierLimits(reads, bytes, most, idle, obsoleteBytes);
    }

    public QuerierLimits withIdle(Duration most) {
        return new QuerierLimits(reads, bytes, patience, most, obsoleteBytes);
    }

    public QuerierLimits withObsoleteBytes(long most) {
        return new QuerierLimits(reads, bytes, patience, idle, most);
    }
}
