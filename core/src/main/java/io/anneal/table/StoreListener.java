package io.anneal.table;

import io.anneal.io.StorageException;
import io.anneal.sstable.CorruptSSTableException;

/**
 * Hears what goes wrong in a store by itself, where no caller waits for it. Called where callbacks run, one call after the
 * other by default; what it throws is logged. Each call has a default that does nothing.
 */
public interface StoreListener {
    /** Hears nothing. */
    StoreListener NONE = new StoreListener() {};

    /** The store takes no more writes until it is opened again; reads go on. Told once. */
    default void writesStopped(StorageException reason) {}

    /**
     * A memtable could not be written to an SSTable; the store takes no more writes.
     *
     * @param table its keyspace, a dot, its name
     */
    default void flushFailed(String table, Throwable reason) {}

    /** A compaction failed, for lack of space for instance; its SSTables stay as they are. */
    default void compactionFailed(String table, Throwable reason) {}

    /** A read met an SSTable that is wrong. Told once for each file. */
    default void sstableCorrupt(String table, CorruptSSTableException reason) {}

    /** A table could not be opened with its store, and is set apart until it is mended or dropped. Told while the store is opened. */
    default void tableUnreadable(String table, Exception reason) {}
}
