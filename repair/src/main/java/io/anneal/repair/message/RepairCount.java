package io.anneal.repair.message;

import java.util.Locale;

/**
 * What a session of a repair counts. Where it says so, the master counts for the session, else each replica what it does itself.
 * On the wire they come in this order: new ones go to the end.
 */
public enum RepairCount {
    /** Rows of its own that a replica read and hashed. */
    ROWS_READ,
    /** Their encoded size. */
    BYTES_READ,
    /** Rows and deletions that a replica gave others, each as often as it was sent. */
    ITEMS_SENT,
    /** Their encoded size. */
    ITEM_BYTES_SENT,
    /** Rows and deletions that a replica was given. */
    ITEMS_RECEIVED,
    /** Their encoded size. */
    ITEM_BYTES_RECEIVED,
    /**
     * Rows that a replica lacked and now holds. In a report on a dry run, which moves no rows: places where another has a row or
     * a version that it has not.
     */
    ROWS_WRITTEN,
    /** Partition and range deletions that a replica lacked. */
    DELETIONS_WRITTEN,
    /** What a replica wrote of both to SSTables, before compression. */
    BYTES_WRITTEN,
    /** Nanoseconds that a replica took to read, encode and hash its rows. */
    READ_NANOS,
    /** Nanoseconds that a replica took to write what it received. */
    WRITE_NANOS,
    /** Nanoseconds that the master waited for other replicas. */
    WAIT_NANOS,
    /** Nanoseconds that the master took to compare, merge and hand out, without waiting. */
    RECONCILE_NANOS,
    /** Windows that the master compared. */
    WINDOWS,
    /** Those of them in which replicas differed; the others took their sums alone. */
    WINDOWS_DIFFERING,
    /** Windows in which deletions differed, and were exchanged before the rows. */
    WINDOWS_DELETIONS,
    /** Windows in which sums of ranges of hashes narrowed down where rows differ. */
    WINDOWS_RANGE_SUMS,
    /** Windows in which sketches showed which rows differ. */
    WINDOWS_SKETCH,
    /** Windows in which a replica listed the hashes of its rows. */
    WINDOWS_LIST,
    /** Sums of ranges of hashes that the master was sent. */
    RANGE_SUMS,
    /** Symbols of sketches that the master was sent. */
    SYMBOLS,
    /** Hashes that the master was sent, or asked for items by. */
    HASHES,
    /** Places at which the master found different rows. */
    ROWS_DIFFERING,
    /** Partition deletions and intervals of which the master found that not every replica had them. */
    DELETIONS_DIFFERING,
    /** Bytes of all messages between the master and replicas on other nodes. */
    NETWORK_BYTES,
    /** Rows of its own that a replica left out of the comparison: something of them was written after the cut-off. */
    ROWS_RECENT,
    /** The same of partition and range deletions. */
    DELETIONS_RECENT,
    /** Those of them by which a dry run asked where rows stand, and was answered. */
    PLACE_BYTES,
    /** Replicas that held next to nothing and got SSTables of another one before the session compared them. */
    FILES_FIRST,
    /** Partition and range deletions of its own that a replica read and hashed; one of a range counts in each window that it spans. */
    DELETIONS_READ,
    /** Rows of the master's that no replica read: sums kept of an earlier repair are equal, and nothing has changed since. */
    ROWS_KNOWN;

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** As metrics and JSON have it, as {@code rows-read}. */
    public String text() {
        return text;
    }
}
