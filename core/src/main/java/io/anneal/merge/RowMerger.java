package io.anneal.merge;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.fragment.RowOrder;
import io.anneal.key.Clustering;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.List;

/**
 * Merges all versions of one row, under the deletion that covers it, into one normalised row: rules 2 to 8 and the clamp
 * of rule 13. Works like a merge of sorted lists: each version has a head, the least (column, path) among
 * the heads is next, the versions that stand there are reconciled. A row has few versions, so the least is found by
 * looking at each.
 *
 * <pre>
 *   outermost                                                     innermost
 *   partition > range (both: the covering deletion) > row deletion > complex column > cell
 * </pre>
 *
 * Usage: {@link #start}, {@link #add} for each version, {@link #merge}. Entries of the result point at the versions'
 * buffers. Regular and shadowable row deletions are kept apart until the newest liveness is known: a shadowable one that
 * it undoes must not have hidden a regular one. Allocates nothing once it has seen the most versions. Owned by one
 * thread.
 */
public final class RowMerger {
    private static final int NO_COLUMN = -1;

    private final Column[] staticColumns;
    private final Column[] regularColumns;
    private final boolean staticDrops;
    private final boolean regularDrops;
    private final boolean hasCounters;
    private final long localDeletionTimeMaxSeconds;
    /** Null where there are none to merge. */
    private final CounterMerger counters;

    private Row[] versions = new Row[4];
    private int[] heads = new int[4];
    private int versionCount;
    private boolean isStatic;

    /** @param localDeletionTimeMaxSeconds rule 13's ceiling, or {@link CanonicalEncoder#UNCLAMPED} */
    public RowMerger(TableSchema schema, long localDeletionTimeMaxSeconds) {
        staticColumns = schema.staticColumns().toArray(Column[]::new);
        regularColumns = schema.regularColumns().toArray(Column[]::new);
        staticDrops = hasDropTimes(schema.staticColumns());
        regularDrops = hasDropTimes(schema.regularColumns());
        hasCounters = schema.hasCounters();
        counters = hasCounters ? new CounterMerger() : null;
        this.localDeletionTimeMaxSeconds = localDeletionTimeMaxSeconds;
    }

    private static boolean hasDropTimes(List<Column> columns) {
        for (Column column : columns) {
            if (column.dropTimeMicros() != Column.NEVER_DROPPED) {
                return true;
            }
        }
        return false;
    }

    /** Forgets the versions added before. */
    public void start(boolean staticRow) {
        isStatic = staticRow;
        versionCount = 0;
    }

    /** Adds a version: a view that must stay valid as long as the result is used. All have the same clustering. */
    public void add(Row version) {
        assert version.isStatic() == isStatic;
        if (versionCount == versions.length) {
            versions = Arrays.copyOf(versions, versionCount * 2);
            heads = Arrays.copyOf(heads, versionCount * 2);
        }
        // A cursor mostly has one row, and a comparison is cheaper than the collector's barrier at a store.
        if (versions[versionCount] != version) {
            versions[versionCount] = version;
        }
        versionCount++;
    }

    /**
     * Whether the only version is its own merge already, so that it can be passed on as it is. Says no when in doubt:
     * with a covering deletion, dropped columns or an empty row.
     */
    public boolean isOnlyVersionNormal(long coveringTimestampMicros) {
        if (versionCount != 1
                || coveringTimestampMicros != DeletionTime.NO_TIMESTAMP
                || (isStatic ? staticDrops : regularDrops)) {
            return false;
        }
        Row row = versions[0];
        long deletedMicros = row.deletionTimestampMicros();
        if (row.isEmpty()
                || row.isDeletionShadowable()
                || exceedsCeiling(row.livenessExpirySeconds())
                || exceedsCeiling(row.deletionLocalTimeSeconds())
                || row.hasLiveness() && row.livenessTimestampMicros() <= deletedMicros
                || row.hasDeletion() && deletedMicros == DeletionTime.NO_TIMESTAMP) {
            return false;
        }
        int count = row.entryCount();
        if (row.isPlain() && !hasCounters) {
            for (int i = 0; i < count; i++) {
                if (row.timestampMicros(i) <= deletedMicros) {
                    return false;
                }
            }
            return true;
        }
        int deletedColumn = NO_COLUMN;
        long columnDeletedMicros = deletedMicros;
        for (int i = 0; i < count; i++) {
            long micros = row.timestampMicros(i);
            if (micros <= (row.columnIndex(i) == deletedColumn ? columnDeletedMicros : deletedMicros)
                    || exceedsCeiling(row.localDeletionTimeSeconds(i))
                    || hasCounters && !isCounterNormal(row, i)) {
                return false;
            }
            if (row.isComplexDeletion(i)) {
                deletedColumn = row.columnIndex(i);
                columnDeletedMicros = micros;
            }
        }
        return true;
    }

    private boolean isCounterNormal(Row row, int entry) {
        Column column = (isStatic ? staticColumns : regularColumns)[row.columnIndex(entry)];
        return !column.type().isCounter() || row.isTombstone(entry) || counters.isNormal(row, entry);
    }

    Row onlyVersion() {
        return versions[0];
    }

    private boolean exceedsCeiling(long seconds) {
        return seconds > localDeletionTimeMaxSeconds && seconds != DeletionTime.NO_DELETION_TIME;
    }

    private long clamp(long seconds) {
        return CanonicalEncoder.clamp(seconds, localDeletionTimeMaxSeconds);
    }

    /**
     * Fills {@code out}, which must be none of the versions, with the merge of all versions under the covering deletion
     * ({@link DeletionTime#LIVE}'s numbers for none); false when no row is left.
     */
    public boolean merge(long coveringTimestampMicros, long coveringLocalDeletionTimeSeconds, Row out) {
        assert versionCount > 0;
        out.clear(isStatic);
        out.clustering().wrap(leastClustering());
        mergeLiveness(out);
        long activeMicros = coveringTimestampMicros;
        long activeSeconds = clamp(coveringLocalDeletionTimeSeconds);
        mergeDeletion(out);
        if (DeletionTime.supersedes(
                out.deletionTimestampMicros(), out.deletionLocalTimeSeconds(), activeMicros, activeSeconds)) {
            activeMicros = out.deletionTimestampMicros();
            activeSeconds = out.deletionLocalTimeSeconds();
        } else {
            out.deletion(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME, false);
        }
        if (out.livenessTimestampMicros() <= activeMicros) {
            out.liveness(DeletionTime.NO_TIMESTAMP, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        }
        mergeEntries(activeMicros, activeSeconds, out);
        return !out.isEmpty();
    }

    /** Clusterings that are equal may differ in bytes (1.0 and 1.00): the least are taken, whatever the order of versions. */
    private Clustering leastClustering() {
        Clustering least = versions[0].clustering();
        for (int v = 1; v < versionCount; v++) {
            if (versions[v].clustering().compareBytes(least) < 0) {
                least = versions[v].clustering();
            }
        }
        return least;
    }

    private void mergeLiveness(Row out) {
        for (int v = 0; v < versionCount; v++) {
            Row version = versions[v];
            long expirySeconds = clamp(version.livenessExpirySeconds());
            if (Reconciler.compareLiveness(
                            version.livenessTimestampMicros(),
                            version.livenessTtlSeconds(),
                            expirySeconds,
                            out.livenessTimestampMicros(),
                            out.livenessTtlSeconds(),
                            out.livenessExpirySeconds())
                    > 0) {
                out.liveness(version.livenessTimestampMicros(), version.livenessTtlSeconds(), expirySeconds);
            }
        }
    }

    private void mergeDeletion(Row out) {
        long regularMicros = DeletionTime.NO_TIMESTAMP;
        long regularSeconds = DeletionTime.NO_DELETION_TIME;
        long shadowableMicros = DeletionTime.NO_TIMESTAMP;
        long shadowableSeconds = DeletionTime.NO_DELETION_TIME;
        for (int v = 0; v < versionCount; v++) {
            long micros = versions[v].deletionTimestampMicros();
            long seconds = clamp(versions[v].deletionLocalTimeSeconds());
            if (versions[v].isDeletionShadowable()) {
                if (DeletionTime.supersedes(micros, seconds, shadowableMicros, shadowableSeconds)) {
                    shadowableMicros = micros;
                    shadowableSeconds = seconds;
                }
            } else if (DeletionTime.supersedes(micros, seconds, regularMicros, regularSeconds)) {
                regularMicros = micros;
                regularSeconds = seconds;
            }
        }
        boolean shadowableCounts = out.livenessTimestampMicros() <= shadowableMicros;
        if (shadowableCounts
                && DeletionTime.supersedes(shadowableMicros, shadowableSeconds, regularMicros, regularSeconds)) {
            out.deletion(shadowableMicros, shadowableSeconds, true);
        } else {
            out.deletion(regularMicros, regularSeconds, false);
        }
    }

    private void mergeEntries(long activeMicros, long activeSeconds, Row out) {
        Arrays.fill(heads, 0, versionCount, 0);
        Column[] columns = isStatic ? staticColumns : regularColumns;
        while (true) {
            int columnIndex = Integer.MAX_VALUE;
            for (int v = 0; v < versionCount; v++) {
                if (heads[v] < versions[v].entryCount()) {
                    columnIndex = Math.min(columnIndex, versions[v].columnIndex(heads[v]));
                }
            }
            if (columnIndex == Integer.MAX_VALUE) {
                return;
            }
            Column column = columns[columnIndex];
            if (column.type().isCounter()) {
                mergeCounter(column, activeMicros, out);
            } else if (column.isComplex()) {
                mergeComplex(column, activeMicros, activeSeconds, out);
            } else {
                mergeSimple(column, activeMicros, out);
            }
        }
    }

    private boolean standsAt(int version, int columnIndex) {
        return heads[version] < versions[version].entryCount()
                && versions[version].columnIndex(heads[version]) == columnIndex;
    }

    private void mergeSimple(Column column, long activeMicros, Row out) {
        long deadMicros = Math.max(activeMicros, column.dropTimeMicros());
        Row winner = null;
        int winnerEntry = 0;
        for (int v = 0; v < versionCount; v++) {
            Row version = versions[v];
            while (standsAt(v, column.index())) {
                int entry = heads[v]++;
                if (version.timestampMicros(entry) > deadMicros
                        && (winner == null || wins(version, entry, winner, winnerEntry))) {
                    winner = version;
                    winnerEntry = entry;
                }
            }
        }
        if (winner != null) {
            addEntry(winner, winnerEntry, out);
        }
    }

    /** Rule 5: a tombstone wins whatever its timestamp, and only what deletions cover is out of its reach. */
    private void mergeCounter(Column column, long activeMicros, Row out) {
        long deadMicros = Math.max(activeMicros, column.dropTimeMicros());
        Row tombstone = null;
        int tombstoneEntry = 0;
        counters.start();
        for (int v = 0; v < versionCount; v++) {
            Row version = versions[v];
            while (standsAt(v, column.index())) {
                int entry = heads[v]++;
                if (version.timestampMicros(entry) <= deadMicros) {
                    continue;
                }
                if (!version.isTombstone(entry)) {
                    counters.add(version, entry);
                } else if (tombstone == null || wins(version, entry, tombstone, tombstoneEntry)) {
                    tombstone = version;
                    tombstoneEntry = entry;
                }
            }
        }
        if (tombstone != null) {
            addEntry(tombstone, tombstoneEntry, out);
        } else if (counters.hasVersions()) {
            counters.addTo(column.index(), out);
        }
    }

    /** Rule 3; between cells that are the same in all but the bytes of equal paths, the least bytes. */
    private boolean wins(Row left, int leftEntry, Row right, int rightEntry) {
        int order = Reconciler.compareCells(left, leftEntry, right, rightEntry, localDeletionTimeMaxSeconds);
        return order > 0 || order == 0 && RowOrder.comparePathBytes(left, leftEntry, right, rightEntry) < 0;
    }

    private void addEntry(Row version, int entry, Row out) {
        out.addEntryOf(version, entry, clamp(version.localDeletionTimeSeconds(entry)));
    }

    private void mergeComplex(Column column, long outerMicros, long outerSeconds, Row out) {
        long deletionMicros = DeletionTime.NO_TIMESTAMP;
        long deletionSeconds = DeletionTime.NO_DELETION_TIME;
        for (int v = 0; v < versionCount; v++) {
            Row version = versions[v];
            while (standsAt(v, column.index()) && version.isComplexDeletion(heads[v])) {
                int entry = heads[v]++;
                long micros = version.timestampMicros(entry);
                long seconds = clamp(version.localDeletionTimeSeconds(entry));
                if (micros > column.dropTimeMicros()
                        && DeletionTime.supersedes(micros, seconds, deletionMicros, deletionSeconds)) {
                    deletionMicros = micros;
                    deletionSeconds = seconds;
                }
            }
        }
        long deadMicros = Math.max(outerMicros, column.dropTimeMicros());
        if (DeletionTime.supersedes(deletionMicros, deletionSeconds, outerMicros, outerSeconds)) {
            out.addComplexDeletion(column.index(), deletionMicros, deletionSeconds);
            deadMicros = Math.max(deadMicros, deletionMicros);
        }
        mergeComplexCells(column, deadMicros, out);
    }

    private void mergeComplexCells(Column column, long deadMicros, Row out) {
        while (true) {
            int first = firstByPath(column);
            if (first < 0) {
                return;
            }
            Row pathRow = versions[first];
            int pathEntry = heads[first];
            Row winner = null;
            int winnerEntry = 0;
            for (int v = first; v < versionCount; v++) {
                Row version = versions[v];
                while (standsAt(v, column.index())
                        && RowOrder.comparePaths(column, version, heads[v], pathRow, pathEntry) == 0) {
                    int entry = heads[v]++;
                    if (version.timestampMicros(entry) > deadMicros
                            && (winner == null || wins(version, entry, winner, winnerEntry))) {
                        winner = version;
                        winnerEntry = entry;
                    }
                }
            }
            if (winner != null) {
                addEntry(winner, winnerEntry, out);
            }
        }
    }

    /** The first of the versions whose head has the least path of the column; -1 when none stands at it. */
    private int firstByPath(Column column) {
        int first = -1;
        for (int v = 0; v < versionCount; v++) {
            if (standsAt(v, column.index())
                    && (first < 0
                            || RowOrder.comparePaths(column, versions[v], heads[v], versions[first], heads[first])
                                    < 0)) {
                first = v;
            }
        }
        return first;
    }
}
