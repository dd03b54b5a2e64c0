package io.anneal.paging.querier;

import java.io.IOException;
import java.time.Duration;

/** A page waited for others that were being read until its patience was over; nothing of it was read. It may be asked for again. */
public final class ReadTimeoutException extends IOException {
    private static final long serialVersionUID = 1L;

    ReadTimeoutException(String table, Duration patience, int reads, long heldBytes, int waiting) {
        super("page found no room among those that are being read: ask again later, or for less at once, table=" + table
                + ", patience=" + patience + ", reads=" + reads + ", heldBytes=" + heldBytes + ", waiting=" + waiting);
    }
}
