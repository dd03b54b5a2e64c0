package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.RingPosition;
import io.anneal.merge.RowMerger;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.RowBuffer;
import io.anneal.repair.row.SpillFile;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The rows that one replica holds in a window: those of its row buffer, changed in place, and received ones at places
 * where it had none. Split from {@link Window}, which knows the deletions and the rules of receiving. Owned by the
 * session's thread.
 */
final class WindowRows {
    private static final int SCRATCH_BYTES = 1024;

    private final ItemCodec codec;
    private final RowMerger merger;
    private final RowBuffer rows;
    private final EncodedItem heldItem;
    private final KeyView keyView = new KeyView();
    private final ByteWriter scratch = new ByteWriter(SCRATCH_BYTES);
    private final Row held = new Row();
    private final Row merged = new Row();
    private final NavigableMap<RingPosition, HeldRow> newRows;
    private final ReceivedRoom room;

    WindowRows(
            TableSchema schema, ItemCodec codec, RowBuffer rows, long localDeletionTimeMaxSeconds, ReceivedRoom room) {
        this.codec = codec;
        this.rows = rows;
        this.room = room;
        ClusteringComparator comparator = ClusteringComparator.of(schema);
        merger = new RowMerger(schema, localDeletionTimeMaxSeconds);
        heldItem = new EncodedItem(schema).trusting();
        newRows = new TreeMap<>((left, right) -> left.compareTo(right, comparator));
    }

    /** What the replica read; the window's rows come first. */
    RowBuffer buffer() {
        return rows;
    }

    /** Forgets received rows; the row buffer's window is dropped by its reader. */
    void end() {
        for (HeldRow row : newRows.values()) {
            forget(row);
        }
        newRows.clear();
    }

    /** Of all rows held now, received ones included. */
    HashSum sum() {
        HashSum sum = new HashSum();
        for (HeldRow row : newRows.values()) {
            if (row.hashed()) {
                sum.add(row.low(), row.high());
            }
        }
        for (int i = 0; i < rows.windowEnd(); i++) {
            if (rows.isHashed(i)) {
                sum.add(rows.hashLow(i), rows.hashHigh(i));
            }
        }
        return sum;
    }

    /** Of the rows that were read; asked for before any is received. */
    long[] hashes() {
        assert newRows.isEmpty() : newRows.size();
        long[] hashes = new long[rows.windowEnd()];
        int count = 0;
        for (int i = 0; i < rows.windowEnd(); i++) {
            if (rows.isHashed(i)) {
                hashes[count++] = rows.hashLow(i);
            }
        }
        return Arrays.copyOf(hashes, count);
    }

    /** The row held at a place now; empty when there is none, or nothing of it is left. */
    Optional<HeldRow> heldAt(RingPosition position) {
        return heldAt(rows.find(position), position);
    }

    /** As {@link #heldAt(RingPosition)}, of a place that was found in the row buffer before. */
    Optional<HeldRow> heldAt(int index, RingPosition position) {
        if (index < 0) {
            HeldRow row = isBehindNew(position) ? null : newRows.get(position);
            return Optional.ofNullable(row).filter(held -> !held.isNothing());
        }
        if (rows.isDead(index)) {
            return Optional.empty();
        }
        Optional<SpillFile.Spilled> file = rows.spilledAt(index);
        if (file.isPresent()) {
            return Optional.of(
                    HeldRow.inFile(file.get(), rows.isHashed(index), rows.hashHigh(index), rows.hashLow(index)));
        }
        EncodedItem row = rows.item(index);
        return Optional.of(new HeldRow(
                row.buffer(),
                row.offset(),
                row.lengthBytes(),
                rows.isHashed(index),
                rows.hashHigh(index),
                rows.hashLow(index)));
    }

    /** Most rows come in order. */
    private boolean isBehindNew(RingPosition position) {
        return newRows.isEmpty() || newRows.comparator().compare(position, newRows.lastKey()) > 0;
    }

    /** Whether a row that meets nothing at its place is, under a deletion, its own merge. */
    boolean isItsOwnMerge(Row incoming, DeletionTime covering) {
        merger.start(incoming.isStatic());
        merger.add(incoming);
        return merger.isOnlyVersionNormal(covering.timestampMicros());
    }

    /**
     * Merges a row with what is held at its place, under a deletion; what comes out lies in the scratch, or in the file: {@link
     * #put} it, or {@link #forget} it.
     */
    HeldRow merge(Row incoming, Optional<HeldRow> before, DeletionTime covering, DecoratedKey key) throws IOException {
        merger.start(incoming.isStatic());
        merger.add(incoming);
        if (before.isPresent()) {
            read(inMemory(before.get()), held);
            merger.add(held);
        }
        merger.merge(covering.timestampMicros(), covering.localDeletionTimeSeconds(), merged);
        return encodeMerged(keyView.wrap(key));
    }

    /**
     * Holds a row as received; returns it as it is held, or nothing if nothing of it is left.
     *
     * @param index what the row buffer found at the place
     */
    HeldRow put(int index, RingPosition position, HeldRow row) throws IOException {
        takeRoom(index, row);
        HeldRow now;
        if (index >= 0) {
            replace(index, row);
            rows.markReceived(index);
            now = heldAt(index, position).orElse(HeldRow.NOTHING);
        } else {
            now = kept(row);
            HeldRow before = newRows.put(position, now);
            if (before != null && before.isAlone()) {
                room.giveBackItem(before.lengthBytes());
            }
            forget(before);
        }
        if (rows.isTooLarge(scratch.capacityBytes())) {
            scratch.shrink();
        }
        return now;
    }

    /** What goes into the file, or where a longer row of the buffer stood, takes none. */
    private void takeRoom(int index, HeldRow row) throws RepairException {
        if (rows.isTooLarge(row.lengthBytes()) || index >= 0 && row.lengthBytes() <= rows.lengthBytes(index)) {
            return;
        }
        if (index >= 0 || row.array() == scratch.array() || row.isAlone()) {
            room.keepItem(row.lengthBytes());
        } else {
            room.keepMessage(row.array());
            room.keepItem(0);
        }
    }

    /** The row as it can stay: the next one that is merged overwrites the scratch, and a large one goes into the file. */
    private HeldRow kept(HeldRow row) throws IOException {
        if (row.file().isPresent()) {
            return row;
        }
        if (rows.isTooLarge(row.lengthBytes())) {
            return row.spilled(rows.spill().append(row.array(), row.offset(), row.lengthBytes()));
        }
        return row.array() == scratch.array() ? row.copy() : row;
    }

    /** The row with its bytes: a large one is read from the file, into an array of its own. */
    HeldRow inMemory(HeldRow row) throws IOException {
        return row.file().isPresent()
                ? row.inMemory(rows.spill().read(row.file().get()))
                : row;
    }

    /** The row is not held, or not any more. */
    void forget(HeldRow row) {
        if (row != null && row.file().isPresent()) {
            rows.spill().forget(row.file().get());
        }
    }

    /** Lets go of what a large row needed. */
    void release() {
        scratch.shrink();
        held.release();
        merged.release();
        heldItem.release();
        rows.releaseContent();
        codec.release();
    }

    /** Applies deletions to the rows of one partition from a place to another. */
    void apply(RingPosition from, RingPosition to, Function<RingPosition, DeletionTime> covering) throws IOException {
        DecoratedKey key = from.key().orElseThrow();
        int end = rows.firstFrom(to);
        for (int i = rows.firstFrom(from); i < end; i++) {
            if (rows.isDead(i)) {
                continue;
            }
            DeletionTime deletion = covering.apply(rows.position(i));
            read(rows.content(i), held);
            if (isTouched(held, deletion.timestampMicros())) {
                replace(i, mergeHeld(deletion, key));
            }
            releaseLarge(rows.lengthBytes(i));
        }
        for (Map.Entry<RingPosition, HeldRow> entry :
                newRows.subMap(from, true, to, true).entrySet()) {
            HeldRow row = entry.getValue();
            if (!row.isNothing()) {
                read(inMemory(row), held);
                entry.setValue(kept(mergeHeld(covering.apply(entry.getKey()), key)));
                forget(row);
                releaseLarge(row.lengthBytes());
            }
        }
    }

    private void releaseLarge(long lengthBytes) {
        if (rows.isTooLarge(lengthBytes) || rows.isTooLarge(scratch.capacityBytes())) {
            release();
        }
    }

    private HeldRow mergeHeld(DeletionTime covering, DecoratedKey key) throws IOException {
        merger.start(held.isStatic());
        merger.add(held);
        merger.merge(covering.timestampMicros(), covering.localDeletionTimeSeconds(), merged);
        return encodeMerged(keyView.wrap(key));
    }

    /** Puts a row in the place of one of the buffer; when nothing is left of it, nothing is held there. */
    private void replace(int index, HeldRow row) throws IOException {
        if (row.isNothing()) {
            rows.kill(index);
            return;
        }
        if (row.file().isPresent()) {
            rows.replace(index, row.file().get(), row.hashed(), row.high(), row.low());
            return;
        }
        rows.replace(index, row.array(), row.offset(), row.lengthBytes(), row.hashed(), row.high(), row.low());
    }

    private HeldRow encodeMerged(KeyView key) throws IOException {
        if (merged.isEmpty()) {
            return HeldRow.NOTHING;
        }
        if (rows.isTooLarge(merged.contentBytes())) {
            SpillFile.Spilled content = codec.spill(key, merged, rows.spill());
            return HeldRow.inFile(content, codec.isHashed(), codec.high(), codec.low());
        }
        scratch.clear();
        codec.row(key, merged, scratch);
        return new HeldRow(scratch.array(), 0, scratch.lengthBytes(), codec.isHashed(), codec.high(), codec.low());
    }

    /** Whether a deletion of this timestamp hides anything of the row. */
    static boolean isTouched(Row row, long deletionMicros) {
        if (deletionMicros == DeletionTime.NO_TIMESTAMP) {
            return false;
        }
        if (row.hasLiveness() && row.livenessTimestampMicros() <= deletionMicros
                || row.hasDeletion() && row.deletionTimestampMicros() <= deletionMicros) {
            return true;
        }
        for (int i = 0; i < row.entryCount(); i++) {
            if (row.timestampMicros(i) <= deletionMicros) {
                return true;
            }
        }
        return false;
    }

    /** Takes rows one after the other. */
    interface RowConsumer {
        /** @param row where it lies; the view is good until this returns */
        void accept(EncodedItem row) throws IOException;
    }

    /** Hands out the rows received in this window that this replica lacked, in ring order; returns their number. */
    long forEachReceived(RowConsumer consumer) throws IOException {
        long count = 0;
        int index = nextReceived(0);
        for (Map.Entry<RingPosition, HeldRow> entry : newRows.entrySet()) {
            HeldRow row = entry.getValue();
            if (row.isNothing()) {
                continue;
            }
            for (;
                    index < rows.windowEnd() && rows.compare(index, entry.getKey()) < 0;
                    index = nextReceived(index + 1)) {
                accept(index, consumer);
                count++;
            }
            consumer.accept(at(inMemory(row)));
            releaseLarge(row.lengthBytes());
            count++;
        }
        for (; index < rows.windowEnd(); index = nextReceived(index + 1)) {
            accept(index, consumer);
            count++;
        }
        return count;
    }

    private void accept(int index, RowConsumer consumer) throws IOException {
        consumer.accept(rows.content(index));
        releaseLarge(rows.lengthBytes(index));
    }

    private int nextReceived(int from) {
        int index = from;
        while (index < rows.windowEnd() && (!rows.isReceived(index) || rows.isDead(index))) {
            index++;
        }
        return index;
    }

    private void read(EncodedItem encoded, Row into) {
        try {
            encoded.readRow(into);
        } catch (CorruptItemException e) {
            throw new IllegalStateException("window does not hold what it encoded", e);
        }
    }

    private void read(HeldRow row, Row into) {
        read(at(row), into);
    }

    private EncodedItem at(HeldRow row) {
        try {
            return heldItem.wrap(row.array(), row.offset(), row.offset() + row.lengthBytes());
        } catch (CorruptItemException e) {
            throw new IllegalStateException("window does not hold what it encoded", e);
        }
    }
}
