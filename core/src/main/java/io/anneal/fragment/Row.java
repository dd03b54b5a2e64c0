package io.anneal.fragment;

import io.anneal.key.Clustering;
import java.util.Arrays;

/**
 * A static or clustering row: liveness, row deletion, and entries in canonical order (column, then the column's
 * complex deletion, then cells by path). Values and paths stay where they lie: each is a buffer, an offset and a length.
 *
 * <p>A flyweight filled in by its cursor and valid until the cursor's next {@code advance()}; {@link #toRow()} copies.
 * With assertions on, cursors take a fresh row for every fragment through {@link #recycle} and reading the old one
 * fails. Owned by one thread.
 */
public final class Row {
    /** {@link #ttlSeconds(int)} of what does not expire. */
    public static final int NO_TTL = 0;
    /** TTL that marks liveness that has expired and stays expired. */
    public static final int EXPIRED_LIVENESS_TTL = Integer.MAX_VALUE;
    /** Length of the value of a tombstone, and of the path of a simple cell. */
    public static final int ABSENT = -1;

    private static final int OWN_BYTES_MIN = 256;
    private static final int ENTRIES_MIN = 8;
    private static final byte[] NOTHING = new byte[0];
    private static final int COLUMN = 0;
    private static final int TTL = 1;
    private static final int VALUE_OFFSET = 2;
    private static final int VALUE_LENGTH = 3;
    private static final int PATH_OFFSET = 4;
    private static final int PATH_LENGTH = 5;
    private static final int COMPLEX_DELETION = 6;
    private static final int INTS = 8;
    private static final int LONGS = 2;
    private static final boolean ASSERTIONS = Row.class.desiredAssertionStatus();

    private final Clustering clustering = new Clustering();
    private boolean isStatic;
    private boolean stale;

    private long livenessTimestampMicros;
    private int livenessTtlSeconds;
    private long livenessExpirySeconds;
    private long deletionTimestampMicros;
    private long deletionLocalTimeSeconds;
    private boolean deletionShadowable;

    private int entryCount;
    private boolean plain;
    /** Of each entry what the constants above say, side by side: one bounds check serves them all. */
    private int[] ints;
    /** Of each entry the timestamp, then the local deletion time. */
    private long[] longs;

    private byte[][] valueBuffers;
    private byte[][] pathBuffers;

    /** Values that lie nowhere else, such as merged counters; grown by replacing, since entries point at what was there. */
    private byte[] ownBytes;

    private int ownLength;

    public Row() {
        ints = new int[ENTRIES_MIN * INTS];
        longs = new long[ENTRIES_MIN * LONGS];
        valueBuffers = grown(new byte[0][], ENTRIES_MIN);
        pathBuffers = grown(new byte[0][], ENTRIES_MIN);
        ownBytes = NOTHING;
        clear(false);
    }

    /** Takes the room for entries of the last row, which has none from now on. */
    private Row(Row last) {
        assert !last.stale : "row recycled twice";
        ints = last.ints;
        longs = last.longs;
        valueBuffers = last.valueBuffers;
        pathBuffers = last.pathBuffers;
        ownBytes = last.ownBytes;
        last.stale = true;
        last.entryCount = 0;
        clear(false);
    }

    /** The row to fill in for the next fragment: {@code last} itself, or with assertions on a new one, {@code last} being stale. */
    public static Row recycle(Row last) {
        if (!ASSERTIONS) {
            return last;
        }
        return new Row(last);
    }

    /** Makes this an empty row without liveness, deletion and entries. */
    public void clear(boolean staticRow) {
        isStatic = staticRow;
        clustering.clear();
        livenessTimestampMicros = DeletionTime.NO_TIMESTAMP;
        livenessTtlSeconds = NO_TTL;
        livenessExpirySeconds = DeletionTime.NO_DELETION_TIME;
        deletionTimestampMicros = DeletionTime.NO_TIMESTAMP;
        deletionLocalTimeSeconds = DeletionTime.NO_DELETION_TIME;
        deletionShadowable = false;
        entryCount = 0;
        plain = true;
        ownLength = 0;
    }

    /** Clears the row and lets go of all that it pointed at: what was large in it is free. */
    public void release() {
        clear(false);
        clustering.reset(NOTHING);
        ints = new int[ENTRIES_MIN * INTS];
        longs = new long[ENTRIES_MIN * LONGS];
        valueBuffers = grown(new byte[0][], ENTRIES_MIN);
        pathBuffers = grown(new byte[0][], ENTRIES_MIN);
        ownBytes = NOTHING;
    }

    public boolean isStatic() {
        assert !stale : "row read after its cursor advanced";
        return isStatic;
    }

    /** The clustering; without components in a static row. Re-pointed by whoever fills the row in. */
    public Clustering clustering() {
        assert !stale : "row read after its cursor advanced";
        return clustering;
    }

    public boolean hasLiveness() {
        return livenessTimestampMicros != DeletionTime.NO_TIMESTAMP;
    }

    /** Whether the liveness has not expired at a time: then the row exists, even without cells. */
    public boolean hasLivenessAt(long nowSeconds) {
        return hasLiveness()
                && (livenessTtlSeconds == NO_TTL
                        || livenessTtlSeconds != EXPIRED_LIVENESS_TTL && nowSeconds < livenessExpirySeconds);
    }

    public long livenessTimestampMicros() {
        assert !stale : "row read after its cursor advanced";
        return livenessTimestampMicros;
    }

    public int livenessTtlSeconds() {
        return livenessTtlSeconds;
    }

    /** When the liveness expires, or {@link DeletionTime#NO_DELETION_TIME}. */
    public long livenessExpirySeconds() {
        return livenessExpirySeconds;
    }

    public void liveness(long timestampMicros, int ttlSeconds, long expirySeconds) {
        livenessTimestampMicros = timestampMicros;
        livenessTtlSeconds = ttlSeconds;
        livenessExpirySeconds = expirySeconds;
    }

    public boolean hasDeletion() {
        return !DeletionTime.isLive(deletionTimestampMicros, deletionLocalTimeSeconds);
    }

    public long deletionTimestampMicros() {
        assert !stale : "row read after its cursor advanced";
        return deletionTimestampMicros;
    }

    public long deletionLocalTimeSeconds() {
        return deletionLocalTimeSeconds;
    }

    /** Whether newer liveness undoes the deletion (materialized views of Cassandra 3). */
    public boolean isDeletionShadowable() {
        return deletionShadowable;
    }

    public void deletion(long timestampMicros, long localDeletionTimeSeconds, boolean shadowable) {
        deletionTimestampMicros = timestampMicros;
        deletionLocalTimeSeconds = localDeletionTimeSeconds;
        deletionShadowable = shadowable;
    }

    /** Whether nothing is in it: such a row does not exist. */
    public boolean isEmpty() {
        return entryCount == 0 && !hasLiveness() && !hasDeletion();
    }

    /** Timestamp of the newest write in it, or {@link DeletionTime#NO_TIMESTAMP} of an empty row. */
    public long newestTimestampMicros() {
        assert !stale : "row read after its cursor advanced";
        long newestMicros = Math.max(livenessTimestampMicros, deletionTimestampMicros);
        for (int entry = 0; entry < entryCount; entry++) {
            newestMicros = Math.max(newestMicros, longs[entry * LONGS]);
        }
        return newestMicros;
    }

    /** Number of entries: cells and complex deletions. */
    public int entryCount() {
        assert !stale : "row read after its cursor advanced";
        return entryCount;
    }

    /**
     * Whether all entries are values of simple columns that do not expire, as in most rows: nothing of them has to be
     * asked for but column, timestamp and value. May be false where they are.
     */
    public boolean isPlain() {
        assert !stale : "row read after its cursor advanced";
        return plain;
    }

    /** Length in bytes of all values and paths. */
    public long contentBytes() {
        assert !stale : "row read after its cursor advanced";
        long bytes = 0;
        int end = entryCount * INTS;
        for (int at = 0; at < end; at += INTS) {
            bytes += Math.max(0, ints[at + VALUE_LENGTH]) + Math.max(0, ints[at + PATH_LENGTH]);
        }
        return bytes;
    }

    /** Whether the entry is the deletion of all older cells of its complex column; else it is a cell. */
    public boolean isComplexDeletion(int entry) {
        assert entry < entryCount : entry;
        return ints[entry * INTS + COMPLEX_DELETION] != 0;
    }

    /** Index among the schema's static or regular columns. */
    public int columnIndex(int entry) {
        assert entry < entryCount : entry;
        return ints[entry * INTS + COLUMN];
    }

    public long timestampMicros(int entry) {
        assert entry < entryCount : entry;
        return longs[entry * LONGS];
    }

    public int ttlSeconds(int entry) {
        assert entry < entryCount : entry;
        return ints[entry * INTS + TTL];
    }

    /** Of a tombstone or complex deletion when it was made, of an expiring cell when it expires. */
    public long localDeletionTimeSeconds(int entry) {
        assert entry < entryCount : entry;
        return longs[entry * LONGS + 1];
    }

    public boolean isTombstone(int entry) {
        return ttlSeconds(entry) == NO_TTL && longs[entry * LONGS + 1] != DeletionTime.NO_DELETION_TIME;
    }

    public boolean isExpiring(int entry) {
        return ttlSeconds(entry) != NO_TTL;
    }

    /** Whether an entry is a value at a time: neither a deletion nor expired. */
    public boolean isLiveAt(int entry, long nowSeconds) {
        return !isComplexDeletion(entry)
                && (localDeletionTimeSeconds(entry) == DeletionTime.NO_DELETION_TIME
                        || isExpiring(entry) && nowSeconds < localDeletionTimeSeconds(entry));
    }

    /** What the value lies in; of no meaning when it is absent or empty. */
    public byte[] valueBuffer(int entry) {
        assert entry < entryCount : entry;
        return valueBuffers[entry];
    }

    public int valueOffset(int entry) {
        return ints[entry * INTS + VALUE_OFFSET];
    }

    /** Length in bytes; {@link #ABSENT} of a tombstone or complex deletion. */
    public int valueLengthBytes(int entry) {
        return ints[entry * INTS + VALUE_LENGTH];
    }

    /** What the path lies in; of no meaning when it is absent or empty. */
    public byte[] pathBuffer(int entry) {
        return pathBuffers[entry];
    }

    public int pathOffset(int entry) {
        return ints[entry * INTS + PATH_OFFSET];
    }

    /** Length in bytes; {@link #ABSENT} when the cell belongs to a simple column. */
    public int pathLengthBytes(int entry) {
        assert entry < entryCount : entry;
        return ints[entry * INTS + PATH_LENGTH];
    }

    /** Appends an entry without value and path; the buffers that stood there stay, since nothing of them is read. */
    private int addEntry(
            int columnIndex,
            long timestampMicros,
            int ttlSeconds,
            long localDeletionTimeSeconds,
            int isComplexDeletion) {
        plain = false;
        int entry = entryCount;
        if (entry == valueBuffers.length) {
            grow();
        }
        int at = entry * INTS;
        int[] to = ints;
        to[at + COLUMN] = columnIndex;
        to[at + TTL] = ttlSeconds;
        to[at + VALUE_OFFSET] = 0;
        to[at + VALUE_LENGTH] = ABSENT;
        to[at + PATH_OFFSET] = 0;
        to[at + PATH_LENGTH] = ABSENT;
        to[at + COMPLEX_DELETION] = isComplexDeletion;
        longs[entry * LONGS] = timestampMicros;
        longs[entry * LONGS + 1] = localDeletionTimeSeconds;
        entryCount = entry + 1;
        return entry;
    }

    /** Appends the deletion of a complex column. */
    public void addComplexDeletion(int columnIndex, long timestampMicros, long localDeletionTimeSeconds) {
        addEntry(columnIndex, timestampMicros, NO_TTL, localDeletionTimeSeconds, 1);
    }

    /** Appends a cell without value and path; {@link #value} and {@link #path} add them to it. */
    public void addCell(int columnIndex, long timestampMicros, int ttlSeconds, long localDeletionTimeSeconds) {
        addEntry(columnIndex, timestampMicros, ttlSeconds, localDeletionTimeSeconds, 0);
    }

    /** Appends a cell of a simple column that neither expires nor is a tombstone. */
    public void addCell(int columnIndex, long timestampMicros, byte[] buffer, int offset, int length) {
        int entry = entryCount;
        if (entry == valueBuffers.length) {
            grow();
        }
        int at = entry * INTS;
        int[] to = ints;
        to[at + COLUMN] = columnIndex;
        to[at + TTL] = NO_TTL;
        to[at + VALUE_OFFSET] = offset;
        to[at + VALUE_LENGTH] = length;
        to[at + PATH_OFFSET] = 0;
        to[at + PATH_LENGTH] = ABSENT;
        to[at + COMPLEX_DELETION] = 0;
        longs[entry * LONGS] = timestampMicros;
        longs[entry * LONGS + 1] = DeletionTime.NO_DELETION_TIME;
        pointAt(valueBuffers, entry, buffer);
        entryCount = entry + 1;
    }

    /** Gives the last cell its value. */
    public void value(byte[] buffer, int offset, int length) {
        valueAt(entryCount - 1, buffer, offset, length);
    }

    /**
     * Gives the last cell a value that lies in the row itself, until {@link #clear}: the caller fills in the bytes, at
     * {@link #valueOffset} of {@link #valueBuffer}. For values that are made, not found, such as merged counters.
     */
    public void ownValue(int length) {
        if (ownBytes.length - ownLength < length) {
            ownBytes = new byte[Math.max(length, Math.max(OWN_BYTES_MIN, 2 * ownBytes.length))];
            ownLength = 0;
        }
        value(ownBytes, ownLength, length);
        ownLength += length;
    }

    /** Gives the last cell its path. */
    public void path(byte[] buffer, int offset, int length) {
        pathAt(entryCount - 1, buffer, offset, length);
    }

    private void valueAt(int entry, byte[] buffer, int offset, int length) {
        pointAt(valueBuffers, entry, buffer);
        ints[entry * INTS + VALUE_OFFSET] = offset;
        ints[entry * INTS + VALUE_LENGTH] = length;
    }

    /** Most rows of a cursor lie in one buffer, and a comparison is cheaper than the collector's barrier at a store. */
    private static void pointAt(byte[][] buffers, int entry, byte[] buffer) {
        if (buffers[entry] != buffer) {
            buffers[entry] = buffer;
        }
    }

    private void pathAt(int entry, byte[] buffer, int offset, int length) {
        plain = false;
        pointAt(pathBuffers, entry, buffer);
        ints[entry * INTS + PATH_OFFSET] = offset;
        ints[entry * INTS + PATH_LENGTH] = length;
    }

    /** Appends an entry of another row, its bytes staying where they lie. */
    public void addEntryOf(Row other, int entry) {
        addEntryOf(other, entry, other.longs[entry * LONGS + 1]);
    }

    /** Appends an entry of another row with another local deletion time, its bytes staying where they lie. */
    public void addEntryOf(Row other, int entry, long localDeletionTimeSeconds) {
        int from = entry * INTS;
        int added = addEntry(
                other.ints[from + COLUMN],
                other.longs[entry * LONGS],
                other.ints[from + TTL],
                localDeletionTimeSeconds,
                other.ints[from + COMPLEX_DELETION]);
        valueAt(added, other.valueBuffers[entry], other.ints[from + VALUE_OFFSET], other.ints[from + VALUE_LENGTH]);
        pathAt(added, other.pathBuffers[entry], other.ints[from + PATH_OFFSET], other.ints[from + PATH_LENGTH]);
    }

    private void grow() {
        int capacity = valueBuffers.length * 2;
        ints = Arrays.copyOf(ints, capacity * INTS);
        longs = Arrays.copyOf(longs, capacity * LONGS);
        valueBuffers = grown(valueBuffers, capacity);
        pathBuffers = grown(pathBuffers, capacity);
    }

    private static byte[][] grown(byte[][] buffers, int capacity) {
        byte[][] grown = Arrays.copyOf(buffers, capacity);
        Arrays.fill(grown, buffers.length, capacity, NOTHING);
        return grown;
    }

    /** A copy that owns its bytes. */
    public Row toRow() {
        assert !stale : "row read after its cursor advanced";
        Row copy = new Row();
        copy.clear(isStatic);
        copy.clustering.wrap(clustering.copy());
        copy.liveness(livenessTimestampMicros, livenessTtlSeconds, livenessExpirySeconds);
        copy.deletion(deletionTimestampMicros, deletionLocalTimeSeconds, deletionShadowable);
        for (int i = 0; i < entryCount; i++) {
            copy.addEntryOf(this, i);
            copy.valueAt(
                    i,
                    owned(valueBuffers[i], ints[i * INTS + VALUE_OFFSET], ints[i * INTS + VALUE_LENGTH]),
                    0,
                    ints[i * INTS + VALUE_LENGTH]);
            copy.pathAt(
                    i,
                    owned(pathBuffers[i], ints[i * INTS + PATH_OFFSET], ints[i * INTS + PATH_LENGTH]),
                    0,
                    ints[i * INTS + PATH_LENGTH]);
        }
        return copy;
    }

    private static byte[] owned(byte[] buffer, int offset, int length) {
        return length <= 0 ? NOTHING : Arrays.copyOfRange(buffer, offset, offset + length);
    }
}
