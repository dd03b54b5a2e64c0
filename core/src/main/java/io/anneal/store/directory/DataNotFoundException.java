package io.anneal.store.directory;

import java.nio.file.NoSuchFileException;

/** The path is there, and what was looked for is not there: a table, a store. */
public final class DataNotFoundException extends NoSuchFileException {
    private static final long serialVersionUID = 1L;

    /** What was looked for. */
    public enum Sought {
        /** A table by its name. */
        TABLE,
        /** Any table at all. */
        TABLES,
        STORE,
        /** An SSTable that was there a moment before. */
        SSTABLE
    }

    private final Sought sought;

    /** @param place where it is not */
    public DataNotFoundException(Sought sought, String place, String reason) {
        super(place, null, reason);
        this.sought = sought;
    }

    public Sought sought() {
        return sought;
    }
}
