package io.anneal.migrate.bulk;

/** Names of what checkpoints count. */
final class Counts {
    static final String ROWS = "rows";
    static final String BYTES = "bytes";
    static final String CLEARED = "cleared";

    private Counts() {}
}
