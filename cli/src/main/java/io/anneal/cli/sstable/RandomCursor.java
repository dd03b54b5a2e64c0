package io.anneal.cli.sstable;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Random rows of any table, decided by a seed, as a stream. Holds the clusterings of one partition, which have to be sorted;
 * a row is made when its turn comes. One thread.
 */
final class RandomCursor extends SourceCursor {
    /** 2025-01-01; all writes are made within a year from then. */
    private static final long BASE_SECONDS = 1_735_689_600L;

    private static final int SPREAD_SECONDS = 365 * 24 * 3600;
    private static final int MICROS = 1_000_000;
    private static final int TTL_SECONDS = 30 * 24 * 3600;
    private static final int PRESENT_PERCENT = 90;
    private static final int ROUNDS_MAX = 8;

    private final RandomValues values;
    private final RandomShape shape;
    private final RandomKeys keys;
    private final ClusteringComparator comparator;
    private final boolean counters;

    private RandomKeys.Numbered ahead;
    private SplittableRandom random;
    private List<Clustering> clusterings = List.of();
    private int nextRow;
    private Row staticRow;
    /** Rows before which a range deletion begins and behind which it ends; -1 for none. */
    private int rangeFirst;

    private int rangeLast;
    private DeletionTime open = DeletionTime.LIVE;
    private long partitionCount;
    private long rowCount;

    RandomCursor(TableSchema schema, RandomValues values, RandomShape shape) {
        super(schema);
        this.values = values;
        this.shape = shape;
        keys = new RandomKeys(schema, values, shape);
        comparator = ClusteringComparator.of(schema);
        counters = schema.hasCounters();
        ahead = keys.next();
    }

    long partitionCount() {
        return partitionCount;
    }

    long rowCount() {
        return rowCount;
    }

    @Override
    public FragmentKind advance() {
        kind = kind == null || kind == FragmentKind.PARTITION_END ? startPartition() : nextFragment();
        return kind;
    }

    private FragmentKind startPartition() {
        if (ahead == null) {
            return null;
        }
        RandomKeys.Numbered first = ahead;
        long rows = 0;
        // Keys with few values come several times: they are one partition.
        do {
            rows += shape.rowsOf(ahead.number());
            ahead = keys.next();
        } while (ahead != null && ahead.key().equals(first.key()));
        key.wrap(first.key());
        random = RandomKeys.random(~shape.seed(), first.number());
        partitionDeletion = isDeletion() ? deletion() : DeletionTime.LIVE;
        clusterings = clusterings(rows);
        nextRow = 0;
        staticRow = schema().staticColumns().isEmpty() ? null : newRow(new Row(), true, new Clustering());
        rangeFirst = -1;
        if (!schema().clustering().isEmpty() && !clusterings.isEmpty() && isDeletion()) {
            rangeFirst = random.nextInt(clusterings.size());
            rangeLast = rangeFirst + random.nextInt(clusterings.size() - rangeFirst);
        }
        partitionCount++;
        return FragmentKind.PARTITION_START;
    }

    private FragmentKind nextFragment() {
        if (staticRow != null && kind == FragmentKind.PARTITION_START && !staticRow.isEmpty()) {
            row = staticRow;
            return FragmentKind.STATIC_ROW;
        }
        if (nextRow == rangeFirst && open.isLive()) {
            return change(clusterings.get(rangeFirst), ClusteringComparator.BEFORE, deletion());
        }
        if (!open.isLive() && nextRow == rangeLast + 1) {
            rangeFirst = -1;
            return change(clusterings.get(rangeLast), ClusteringComparator.AFTER, DeletionTime.LIVE);
        }
        while (nextRow < clusterings.size()) {
            row = newRow(Row.recycle(row), false, clusterings.get(nextRow++));
            if (!row.isEmpty()) {
                rowCount++;
                return FragmentKind.CLUSTERING_ROW;
            }
            if (!open.isLive() && nextRow == rangeLast + 1 || nextRow == rangeFirst) {
                return nextFragment();
            }
        }
        return FragmentKind.PARTITION_END;
    }

    private FragmentKind change(Clustering prefix, int weight, DeletionTime deletion) {
        change.prefix().wrap(prefix);
        change.weight(weight);
        change.deletion(deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
        open = deletion;
        return FragmentKind.RANGE_TOMBSTONE_CHANGE;
    }

    private boolean isDeletion() {
        return shape.deletionsPercent() > 0 && random.nextInt(100) < shape.deletionsPercent();
    }

    private long timestampMicros() {
        return BASE_SECONDS * MICROS + random.nextLong((long) SPREAD_SECONDS * MICROS);
    }

    private DeletionTime deletion() {
        long micros = timestampMicros();
        return new DeletionTime(micros, micros / MICROS);
    }

    /** Distinct ones in their order; fewer when their types have not so many. */
    private List<Clustering> clusterings(long wanted) {
        if (schema().clustering().isEmpty()) {
            return List.of(new Clustering());
        }
        List<Clustering> distinct = new ArrayList<>();
        for (int round = 0; distinct.size() < wanted && round < ROUNDS_MAX; round++) {
            List<Clustering> drawn = new ArrayList<>(distinct);
            for (long i = distinct.size(); i < wanted; i++) {
                byte[][] components = new byte[schema().clustering().size()][];
                for (Column column : schema().clustering()) {
                    components[column.index()] = values.next(column.type(), random);
                }
                drawn.add(Clustering.of(components));
            }
            drawn.sort(comparator::compare);
            distinct.clear();
            for (Clustering clustering : drawn) {
                if (distinct.isEmpty() || comparator.compare(distinct.get(distinct.size() - 1), clustering) < 0) {
                    distinct.add(clustering);
                }
            }
        }
        return distinct;
    }

    private Row newRow(Row made, boolean isStatic, Clustering clustering) {
        made.clear(isStatic);
        made.clustering().wrap(clustering);
        long micros = timestampMicros();
        if (!isStatic && !counters && isDeletion()) {
            made.deletion(micros, micros / MICROS, false);
            return made;
        }
        boolean expires = !counters && random.nextInt(100) < shape.expiringPercent();
        int ttlSeconds = expires ? TTL_SECONDS : Row.NO_TTL;
        long expirySeconds = expires ? micros / MICROS + TTL_SECONDS : DeletionTime.NO_DELETION_TIME;
        if (!isStatic && !counters) {
            made.liveness(micros, ttlSeconds, expirySeconds);
        }
        for (Column column : isStatic ? schema().staticColumns() : schema().regularColumns()) {
            if (!column.dropped() && (counters || random.nextInt(100) < PRESENT_PERCENT)) {
                cells(made, column, micros, ttlSeconds, expirySeconds);
            }
        }
        return made;
    }

    private void cells(Row made, Column column, long micros, int ttlSeconds, long expirySeconds) {
        if (!column.isComplex()) {
            cell(made, column, null, micros, ttlSeconds, expirySeconds);
            return;
        }
        made.addComplexDeletion(column.index(), micros - 1, micros / MICROS);
        CqlType type = column.type();
        if (type.kind() == CqlType.Kind.USER_TYPE) {
            for (short field = 0; field < type.components().size(); field++) {
                byte[] path = ByteBuffer.allocate(Short.BYTES).putShort(field).array();
                cell(made, column, path, micros, ttlSeconds, expirySeconds);
            }
            return;
        }
        TreeSet<byte[]> paths = values.keys(type.pathType(), random);
        paths.forEach(path -> cell(made, column, path, micros, ttlSeconds, expirySeconds));
    }

    private void cell(Row made, Column column, byte[] path, long micros, int ttlSeconds, long expirySeconds) {
        if (!counters && isDeletion()) {
            made.addCell(column.index(), micros, Row.NO_TTL, micros / MICROS);
        } else {
            made.addCell(column.index(), micros, ttlSeconds, expirySeconds);
            CqlType type = path == null ? column.type() : column.type().cellType(path, 0, path.length);
            byte[] value = values.next(type, random);
            made.value(value, 0, value.length);
        }
        if (path != null) {
            made.path(path, 0, path.length);
        }
    }
}
