package io.anneal.table;

/** When the commit log is synced, and so what an acknowledgement is worth; as in Cassandra. */
public enum SyncMode {
    /** A write is acknowledged once it is on disk. Writes that come while the disk is busy share the next sync; none waits for others. */
    BATCH,
    /** As {@link #BATCH}, but the first write waits a window for others to share its sync. */
    GROUP,
    /**
     * A write is acknowledged once the operating system has it, which a killed process survives. A machine that loses power
     * loses what was written since the last sync.
     */
    PERIODIC
}
