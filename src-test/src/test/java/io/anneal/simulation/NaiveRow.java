package io.anneal.simulation;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All versions of one row at once: rules 2 to 8 of the canonical form. */
final class NaiveRow {
    /** Rule 6. */
    static final Comparator<DeletionTime> STRENGTH = Comparator.comparingLong(DeletionTime::timestampMicros)
            .thenComparing(DeletionTime::localDeletionTimeSeconds, NaiveRow::compareNoTimeFirst);

    private record Cell(long micros, int ttl, long seconds, byte[] path, byte[] value) {
        boolean tombstone() {
            return ttl == Row.NO_TTL && seconds != DeletionTime.NO_DELETION_TIME;
        }

        int rank() {
            return tombstone() ? 2 : ttl != Row.NO_TTL ? 1 : 0;
        }
    }

    private record Liveness(long micros, int ttl, long expiry) {
        int rank() {
            return ttl == Row.EXPIRED_LIVENESS_TTL ? 2 : ttl != Row.NO_TTL ? 1 : 0;
        }
    }

    /** Rule 3; then the lesser bytes of paths that are equal in different bytes. */
    private static final Comparator<Cell> CELLS = Comparator.comparingLong(Cell::micros)
            .thenComparingInt(Cell::rank)
            .thenComparingLong(Cell::seconds)
            .thenComparing(Comparator.comparingInt(Cell::ttl).reversed())
            .thenComparing(Cell::value, Arrays::compareUnsigned)
            .thenComparing(
                    Comparator.comparing(Cell::path, NaiveRow::comparePathBytes).reversed());
    /** Rule 4. */
    private static final Comparator<Liveness> LIVENESS = Comparator.comparingLong(Liveness::micros)
            .thenComparingInt(Liveness::rank)
            .thenComparingLong(Liveness::expiry)
            .thenComparing(Comparator.comparingInt(Liveness::ttl).reversed());

    private NaiveRow() {}

    private static int compareNoTimeFirst(long left, long right) {
        return Long.compare(
                left == DeletionTime.NO_DELETION_TIME ? -1 : left, right == DeletionTime.NO_DELETION_TIME ? -1 : right);
    }

    private static int comparePathBytes(byte[] left, byte[] right) {
        return left.length != right.length
                ? Integer.compare(left.length, right.length)
                : Arrays.compareUnsigned(left, right);
    }

    static DeletionTime greatest(Stream<DeletionTime> deletions) {
        return deletions.max(STRENGTH).orElse(DeletionTime.LIVE);
    }

    /** What is left of the versions under the deletion that covers them, or null. */
    static Row merge(TableSchema schema, List<Row> versions, DeletionTime covering) {
        if (versions.isEmpty()) {
            return null;
        }
        Row merged = new Row();
        merged.clear(versions.get(0).isStatic());
        merged.clustering().wrap(versions.get(0).clustering());
        Liveness liveness = versions.stream()
                .map(r -> new Liveness(r.livenessTimestampMicros(), r.livenessTtlSeconds(), r.livenessExpirySeconds()))
                .max(LIVENESS)
                .orElseThrow();
        DeletionTime own = greatest(versions.stream()
                .map(r -> new DeletionTime(r.deletionTimestampMicros(), r.deletionLocalTimeSeconds())));
        if (STRENGTH.compare(own, covering) > 0) {
            merged.deletion(own.timestampMicros(), own.localDeletionTimeSeconds(), false);
        } else {
            own = covering;
        }
        if (liveness.micros() > own.timestampMicros()) {
            merged.liveness(liveness.micros(), liveness.ttl(), liveness.expiry());
        }
        for (Column column : merged.isStatic() ? schema.staticColumns() : schema.regularColumns()) {
            column(column, versions, own, merged);
        }
        return merged.isEmpty() ? null : merged;
    }

    private static void column(Column column, List<Row> versions, DeletionTime outer, Row merged) {
        List<DeletionTime> deletions = new ArrayList<>();
        TreeMap<byte[], List<Cell>> cells = new TreeMap<>(pathOrder(column));
        for (Row version : versions) {
            for (int i = 0; i < version.entryCount(); i++) {
                if (version.columnIndex(i) != column.index() || version.timestampMicros(i) <= column.dropTimeMicros()) {
                    continue;
                }
                long seconds = version.localDeletionTimeSeconds(i);
                if (version.isComplexDeletion(i)) {
                    deletions.add(new DeletionTime(version.timestampMicros(i), seconds));
                    continue;
                }
                byte[] path = bytes(version.pathBuffer(i), version.pathOffset(i), version.pathLengthBytes(i));
                byte[] value = bytes(version.valueBuffer(i), version.valueOffset(i), version.valueLengthBytes(i));
                cells.computeIfAbsent(path, p -> new ArrayList<>())
                        .add(new Cell(version.timestampMicros(i), version.ttlSeconds(i), seconds, path, value));
            }
        }
        DeletionTime own = greatest(deletions.stream());
        if (STRENGTH.compare(own, outer) > 0) {
            merged.addComplexDeletion(column.index(), own.timestampMicros(), own.localDeletionTimeSeconds());
        } else {
            own = outer;
        }
        long deadMicros = own.timestampMicros();
        cells.values()
                .forEach(versionsOfCell -> versionsOfCell.stream()
                        .filter(cell -> cell.micros() > deadMicros)
                        .max(CELLS)
                        .ifPresent(cell -> add(merged, column, cell)));
    }

    private static Comparator<byte[]> pathOrder(Column column) {
        if (!column.isComplex()) {
            return (left, right) -> 0;
        }
        CqlType type = column.type().pathType();
        return (left, right) -> type.compare(left, 0, left.length, right, 0, right.length);
    }

    private static void add(Row merged, Column column, Cell cell) {
        merged.addCell(column.index(), cell.micros(), cell.ttl(), cell.seconds());
        if (column.isComplex()) {
            merged.path(cell.path(), 0, cell.path().length);
        }
        if (!cell.tombstone()) {
            merged.value(cell.value(), 0, cell.value().length);
        }
    }

    private static byte[] bytes(byte[] buffer, int offset, int length) {
        return length <= 0 ? new byte[0] : Arrays.copyOfRange(buffer, offset, offset + length);
    }
}
