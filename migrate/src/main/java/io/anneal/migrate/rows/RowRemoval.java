package io.anneal.migrate.rows;

import io.anneal.fragment.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What deletes the parts of an entry at their own write times: a tombstone beats the value of the same time and nothing newer. A row
 * marker goes with a deletion of the row at the marker's time, cells that are newer with their own tombstones.
 */
final class RowRemoval {
    private RowRemoval() {}

    /** A row of tombstones, empty if there is nothing to take away. */
    static Row of(RowEntry there, Optional<RowEntry> kept, long nowSeconds) {
        Row row = there.row();
        Row removal = new Row();
        removal.clear(row.isStatic());
        removal.clustering().wrap(row.clustering());
        long rowDeletionMicros = Long.MIN_VALUE;
        if (kept.isEmpty() && !row.isStatic()) {
            rowDeletionMicros = there.isMarkerKnown()
                    ? row.hasLiveness() ? row.livenessTimestampMicros() : Long.MIN_VALUE
                    : there.newestWriteMicros().orElse(RowEntry.MARKER_UNKNOWN_MICROS);
            if (rowDeletionMicros != Long.MIN_VALUE) {
                removal.deletion(rowDeletionMicros, nowSeconds, false);
            }
        }
        for (int entry : cells(row, kept)) {
            if (row.timestampMicros(entry) > rowDeletionMicros) {
                removal.addCell(row.columnIndex(entry), row.timestampMicros(entry), Row.NO_TTL, nowSeconds);
                if (row.pathLengthBytes(entry) != Row.ABSENT) {
                    removal.path(row.pathBuffer(entry), row.pathOffset(entry), row.pathLengthBytes(entry));
                }
            }
        }
        return removal;
    }

    private static List<Integer> cells(Row row, Optional<RowEntry> kept) {
        List<Integer> cells = new ArrayList<>();
        for (int i = 0; i < row.entryCount(); i++) {
            if (kept.isEmpty() || !has(kept.get().row(), row, i)) {
                cells.add(i);
            }
        }
        return cells;
    }

    private static boolean has(Row kept, Row row, int entry) {
        for (int i = 0; i < kept.entryCount(); i++) {
            if (kept.columnIndex(i) == row.columnIndex(entry) && samePath(kept, i, row, entry)) {
                return true;
            }
        }
        return false;
    }

    private static boolean samePath(Row left, int leftEntry, Row right, int rightEntry) {
        int leftLength = left.pathLengthBytes(leftEntry);
        int rightLength = right.pathLengthBytes(rightEntry);
        return leftLength == rightLength
                && (leftLength <= 0
                        || Arrays.equals(
                                left.pathBuffer(leftEntry),
                                left.pathOffset(leftEntry),
                                left.pathOffset(leftEntry) + leftLength,
                                right.pathBuffer(rightEntry),
                                right.pathOffset(rightEntry),
                                right.pathOffset(rightEntry) + rightLength));
    }
}
