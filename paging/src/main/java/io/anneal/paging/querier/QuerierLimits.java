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
 * @param readAheads shards that are read beside the pages that will want them, at once, and fewer for each page but one that is read
 *     meanwhile; the default is for a process that has the machine's cores to itself
 */
public record QuerierLimits(
        int reads, long bytes, Duration patience, Duration idle, long obsoleteBytes, int readAheads) {
    private static final int READS_DEFAULT = 32;
    private static final long BYTES_DEFAULT = 64L << 20;
    private static final Duration PATIENCE_DEFAULT = Duration.ofSeconds(10);
    private static final Duration IDLE_DEFAULT = Duration.ofSeconds(10);
    private static final long OBSOLETE_BYTES_DEFAULT = 64L << 20;

    public static final QuerierLimits DEFAULT = new QuerierLimits(
            READS_DEFAULT,
            BYTES_DEFAULT,
            PATIENCE_DEFAULT,
            IDLE_DEFAULT,
            OBSOLETE_BYTES_DEFAULT,
            Runtime.getRuntime().availableProcessors() - 1);

    public QuerierLimits {
        if (reads < 1
                || bytes < 1
                || patience.isNegative()
                || idle.isNegative()
                || obsoleteBytes < 0
                || readAheads < 0) {
            throw new IllegalArgumentException("limits of queriers are out of range, reads=" + reads + ", bytes="
                    + bytes + ", patience=" + patience + ", idle=" + idle + ", obsoleteBytes=" + obsoleteBytes
                    + ", readAheads=" + readAheads);
        }
    }

    public QuerierLimits withReads(int most) {
        return new QuerierLimits(most, bytes, patience, idle, obsoleteBytes, readAheads);
    }

    public QuerierLimits withBytes(long most) {
        return new QuerierLimits(reads, most, patience, idle, obsoleteBytes, readAheads);
    }

    public QuerierLimits withPatience(Duration most) {
        return new QuerierLimits(reads, bytes, most, idle, obsoleteBytes, readAheads);
    }

    public QuerierLimits withIdle(Duration most) {
        return new QuerierLimits(reads, bytes, patience, most, obsoleteBytes, readAheads);
    }

    public QuerierLimits withObsoleteBytes(long most) {
        return new QuerierLimits(reads, bytes, patience, idle, most, readAheads);
    }

    public QuerierLimits withReadAheads(int most) {
        return new QuerierLimits(reads, bytes, patience, idle, obsoleteBytes, most);
    }
}
