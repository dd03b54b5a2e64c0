package io.anneal.migrate.rows;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.migrate.bulk.BulkTolerance;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * In what the cells of two entries differ. Both have them by column, then by path, so one walk over both finds what only one has.
 * Elements of lists are named by paths that each store makes up for itself: unless write times count, lists are compared element by
 * element. One thread.
 */
final class RowDifferences {
    private static final String ABSENT = "(absent)";
    private static final String NEVER = "never";

    private final RowTable table;
    private final Row origin;
    private final Row target;
    private final boolean markersKnown;
    private final BulkTolerance tolerance;
    private final List<FieldDiff> found = new ArrayList<>();

    RowDifferences(RowEntry origin, RowEntry target, BulkTolerance tolerance) {
        table = origin.table();
        this.origin = origin.row();
        this.target = target.row();
        markersKnown = origin.isMarkerKnown() && target.isMarkerKnown();
        this.tolerance = tolerance;
    }

    List<FieldDiff> differences() {
        if (tolerance.writeTimes() && markersKnown && !origin.isStatic()) {
            marker();
        }
        List<Column> columns = table.columns(origin.isStatic());
        int left = 0;
        int right = 0;
        while (left < origin.entryCount() || right < target.entryCount()) {
            int order = compare(columns, left, right);
            if (order < 0) {
                only(columns, origin, left++, true);
            } else if (order > 0) {
                only(columns, target, right++, false);
            } else {
                both(columns.get(origin.columnIndex(left)), left++, right++);
            }
        }
        return List.copyOf(found);
    }

    /** A row without one is told from one with it only once all cells are gone, so it counts where all must be exact. */
    private void marker() {
        String left = origin.hasLiveness() ? Long.toString(origin.livenessTimestampMicros()) : ABSENT;
        String right = target.hasLiveness() ? Long.toString(target.livenessTimestampMicros()) : ABSENT;
        if (!left.equals(right)) {
            found.add(new FieldDiff("row marker, write time", left, right));
        }
        expiries("row marker", origin.livenessExpirySeconds(), target.livenessExpirySeconds());
    }

    private int compare(List<Column> columns, int left, int right) {
        if (left == origin.entryCount() || right == target.entryCount()) {
            return left == origin.entryCount() ? 1 : -1;
        }
        int byColumn = Integer.compare(origin.columnIndex(left), target.columnIndex(right));
        Column column = columns.get(origin.columnIndex(left));
        if (byColumn != 0 || !column.isComplex() || isComparedInOrder(column)) {
            return byColumn;
        }
        return column.type()
                .pathType()
                .compare(
                        origin.pathBuffer(left),
                        origin.pathOffset(left),
                        origin.pathLengthBytes(left),
                        target.pathBuffer(right),
                        target.pathOffset(right),
                        target.pathLengthBytes(right));
    }

    private boolean isComparedInOrder(Column column) {
        return column.type().kind() == CqlType.Kind.LIST && !tolerance.writeTimes();
    }

    private void only(List<Column> columns, Row row, int entry, boolean ofOrigin) {
        Column column = columns.get(row.columnIndex(entry));
        String value = value(column, row, entry);
        found.add(new FieldDiff(path(column, row, entry), ofOrigin ? value : ABSENT, ofOrigin ? ABSENT : value));
    }

    private void both(Column column, int left, int right) {
        if (!Arrays.equals(
                origin.valueBuffer(left),
                origin.valueOffset(left),
                origin.valueOffset(left) + Math.max(0, origin.valueLengthBytes(left)),
                target.valueBuffer(right),
                target.valueOffset(right),
                target.valueOffset(right) + Math.max(0, target.valueLengthBytes(right)))) {
            found.add(new FieldDiff(
                    path(column, origin, left), value(column, origin, left), value(column, target, right)));
        }
        if (tolerance.writeTimes() && origin.timestampMicros(left) != target.timestampMicros(right)) {
            found.add(new FieldDiff(
                    path(column, origin, left) + ", write time",
                    Long.toString(origin.timestampMicros(left)),
                    Long.toString(target.timestampMicros(right))));
        }
        expiries(
                path(column, origin, left),
                origin.localDeletionTimeSeconds(left),
                target.localDeletionTimeSeconds(right));
    }

    private void expiries(String path, long left, long right) {
        boolean bothEnd = left != DeletionTime.NO_DELETION_TIME && right != DeletionTime.NO_DELETION_TIME;
        if (bothEnd ? Math.abs(left - right) > tolerance.expirySeconds() : left != right) {
            found.add(new FieldDiff(path + ", expiry", expiry(left), expiry(right)));
        }
    }

    private static String expiry(long seconds) {
        return seconds == DeletionTime.NO_DELETION_TIME
                ? NEVER
                : Instant.ofEpochSecond(seconds).toString();
    }

    private static String path(Column column, Row row, int entry) {
        return pathText(column, row, entry)
                .map(element -> column.name() + "[" + element + "]")
                .orElse(column.name());
    }

    private static Optional<String> pathText(Column column, Row row, int entry) {
        int length = row.pathLengthBytes(entry);
        return length == Row.ABSENT
                ? Optional.empty()
                : Optional.of(RowTable.shortened(
                        column.type().pathText(row.pathBuffer(entry), row.pathOffset(entry), length)));
    }

    private static String value(Column column, Row row, int entry) {
        int length = Math.max(0, row.valueLengthBytes(entry));
        CqlType type = column.isComplex()
                ? column.type()
                        .cellType(row.pathBuffer(entry), row.pathOffset(entry), Math.max(0, row.pathLengthBytes(entry)))
                : column.type();
        return RowTable.shortened(type.toText(row.valueBuffer(entry), row.valueOffset(entry), length));
    }
}
