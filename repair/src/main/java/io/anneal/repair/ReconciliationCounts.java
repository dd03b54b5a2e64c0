package io.anneal.repair;

/** Counts what a session's windows took, for its report. Owned by the master's thread. */
final class ReconciliationCounts {
    private long deletions;
    private long whole;
    private long rangeSums;
    private long sketch;
    private long list;
    private long hashes;
    private long symbols;

    void deletions() {
        deletions++;
    }

    /** One side had no rows. */
    void whole() {
        whole++;
    }

    void rangeSums() {
        rangeSums++;
    }

    void sketch() {
        sketch++;
    }

    void list() {
        list++;
    }

    void hashes(long received) {
        hashes += received;
    }

    void symbols(long received) {
        symbols += received;
    }

    Reconciliation total() {
        return new Reconciliation(deletions, whole, rangeSums, sketch, list, hashes, symbols);
    }
}
