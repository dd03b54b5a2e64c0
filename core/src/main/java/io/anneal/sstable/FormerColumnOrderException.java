package io.anneal.sstable;

import java.io.IOException;

/** An SSTable that is handed to nobody: an earlier release wrote its columns in an order in which Cassandra mixes up their values. */
public final class FormerColumnOrderException extends IOException {
    private static final long serialVersionUID = 1L;

    public FormerColumnOrderException(Descriptor sstable) {
        super("columns are in the order of an earlier Anneal, in which Cassandra would mix up their values, sstable="
                + sstable);
    }
}
