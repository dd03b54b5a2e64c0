package io.anneal.table;

import java.io.IOException;

/** A sync of a store failed, and nobody has acknowledged it: what the disk has of the store is not known. */
public final class FailedSyncException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param text as {@link FailedSync#read()} */
    public FailedSyncException(String text) {
        super(
                "a sync of the store failed, and a kernel may have forgotten what it could not write: what the disk has is not"
                        + " known before the machine has started anew, " + text);
    }
}
