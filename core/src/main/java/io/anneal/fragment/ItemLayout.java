package io.anneal.fragment;

import io.anneal.io.ByteWriter;

/**
 * Layout of an item, version 1; {@code docs/encoding.md} has the tables and the reasons. Big-endian.
 *
 * <pre>
 *   0        1                     5              7
 *   +--------+---------------------+--------------+-----------+----------------
 *   | kind 1 | item length 4       | key length 2 | key bytes | body by kind
 *   +--------+---------------------+--------------+-----------+----------------
 *
 *   PARTITION_DELETION  deletion
 *   STATIC_ROW          row
 *   CLUSTERING_ROW      prefix  row
 *   RANGE_DELETION      prefix  weight 1  prefix  weight 1  deletion
 *
 *   deletion   timestamp 8   local deletion time 8
 *   prefix     component count vint   { 0 absent | 1 empty | n+1 vint, n bytes }*
 *   row        flags 1   [timestamp 8 [ttl 4, expiry 8]]   [deletion]   entry count vint   entry*
 *   entry      code 1   column index vint   timestamp 8   [ttl 4]   [local deletion time 8]
 *              [path length vint, path]   [0 absent | 1 empty | n+1 vint, n bytes]
 * </pre>
 */
final class ItemLayout {
    static final int KIND_OFFSET = 0;
    static final int LENGTH_OFFSET = 1;
    static final int KEY_LENGTH_OFFSET = 5;
    static final int KEY_OFFSET = 7;
    static final int KEY_LENGTH_MAX_BYTES = 0xFFFF;

    static final int WEIGHT_BEFORE = 0;
    static final int WEIGHT_AFTER = 1;

    static final int HAS_LIVENESS = 0x01;
    static final int LIVENESS_EXPIRES = 0x02;
    static final int HAS_DELETION = 0x04;
    static final int DELETION_SHADOWABLE = 0x08;
    static final int ROW_FLAGS = 0x0F;

    static final int COMPLEX_DELETION = 1;
    static final int LIVE_CELL = 2;
    static final int EXPIRING_CELL = 3;
    static final int TOMBSTONE = 4;
    static final int HAS_PATH = 0x08;

    /** Of a cell whose column and value length are a byte each: where its fields lie, and the value behind them. */
    static final int SHORT_CELL_COLUMN_OFFSET = 1;

    static final int SHORT_CELL_TIMESTAMP_OFFSET = 2;
    static final int SHORT_CELL_LENGTH_OFFSET = 10;
    static final int SHORT_CELL_BYTES = 11;

    /** The latest local deletion time that any format of Cassandra holds. */
    static final long LOCAL_DELETION_TIME_MAX_SECONDS = 0xFFFF_FFFFL;

    static {
        assert LENGTH_OFFSET == KIND_OFFSET + 1;
        assert KEY_LENGTH_OFFSET == LENGTH_OFFSET + 4;
        assert KEY_OFFSET == KEY_LENGTH_OFFSET + 2;
    }

    private ItemLayout() {}

    /** Writes a length that may be absent: 0 for absent, else the length plus one. */
    static void writeOptionalLength(int lengthBytes, ByteWriter out) {
        out.writeUnsignedVInt(lengthBytes + 1L);
    }
}
