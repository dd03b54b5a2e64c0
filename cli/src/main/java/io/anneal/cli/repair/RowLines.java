package io.anneal.cli.repair;

import io.anneal.fragment.Row;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.DifferenceListener;
import io.anneal.repair.Repair;
import io.anneal.repair.ReplicaRows;
import io.anneal.repair.RowDifference;
import io.anneal.repair.RowDrift;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Names the rows and deletions in which replicas differ. After a dry run it reads each row from all replicas, and says which cells
 * differ: as they are by then. One call at a time.
 */
final class RowLines implements DifferenceListener, Closeable {
    /** How they are written. */
    interface Format {
        /**
         * A row.
         *
         * @param lacking names of the replicas that had no row there, or not every version, when they were compared
         * @param found what it is by now; empty where it was not read
         */
        void row(TableSchema schema, RowDifference difference, List<String> lacking, Optional<Found> found)
                throws IOException;

        /** @param lacking names of the replicas that do not have it */
        void deletion(TableSchema schema, DeletionDifference difference, List<String> lacking) throws IOException;
    }

    /**
     * A row as it was read.
     *
     * @param without names of the replicas that have no such row
     * @param holders names of the others
     * @param views their rows, purged, in the same order
     * @param isGhost whether a deletion of one replica that has expired hides what lives on another
     */
    record Found(List<String> without, List<String> holders, List<Row> views, boolean isGhost) {
        /** Whether nothing differs any more. */
        boolean isEqual(TableSchema schema) {
            return holders.isEmpty()
                    || without.isEmpty() && RowParts.differences(schema, views).isEmpty();
        }
    }

    private final Repair repair;
    private final boolean reads;
    private final LongSupplier nowSeconds;
    private final Consumer<String> notes;
    private final Format format;

    private TableSchema schema;
    private List<String> replicas = List.of();
    private Optional<ReplicaRows> rows = Optional.empty();
    private boolean isUnreadable;

    /**
     * @param reads whether rows are read: not after what made them equal
     * @param notes hears why rows are not read any more
     */
    RowLines(Repair repair, boolean reads, LongSupplier nowSeconds, Consumer<String> notes, Format format) {
        this.repair = repair;
        this.reads = reads;
        this.nowSeconds = nowSeconds;
        this.notes = notes;
        this.format = format;
    }

    @Override
    public void begins(TableSchema table, List<String> names) throws IOException {
        boolean isOther =
                schema == null || !schema.qualifiedName().equals(table.qualifiedName()) || !replicas.equals(names);
        schema = table;
        replicas = List.copyOf(names);
        if (isOther) {
            close();
        }
    }

    private List<String> names(List<Integer> places) {
        return places.stream().map(replicas::get).toList();
    }

    @Override
    public void deletionDiffers(DeletionDifference difference) throws IOException {
        format.deletion(schema, difference, names(difference.lacking()));
    }

    @Override
    public void rowDiffers(RowDifference difference) throws IOException {
        format.row(schema, difference, names(difference.lacking()), read(difference));
    }

    /** What can't be read must not end the repair, which is done with this range: it is said once. */
    private Optional<Found> read(RowDifference difference) {
        if (!reads || isUnreadable) {
            return Optional.empty();
        }
        try {
            if (rows.isEmpty()) {
                rows = Optional.of(repair.rows(schema, replicas));
            }
            return Optional.of(found(rows.get().read(difference.place())));
        } catch (IOException | RuntimeException e) {
            isUnreadable = true;
            notes.accept("rows that differ are named, but not read any more: " + e.getMessage());
            return Optional.empty();
        }
    }

    private Found found(List<RowDrift.Version> versions) {
        SessionPurgeRule rule =
                new SessionPurgeRule(nowSeconds.getAsLong(), schema.options().gcGraceSeconds());
        Purger purger = new Purger(schema, rule);
        List<String> without = new ArrayList<>();
        List<String> holders = new ArrayList<>();
        List<Row> views = new ArrayList<>();
        for (int i = 0; i < versions.size(); i++) {
            Optional<Row> view = versions.get(i).row().flatMap(row -> view(purger, row));
            if (view.isPresent()) {
                holders.add(replicas.get(i));
                views.add(view.get());
            } else {
                without.add(replicas.get(i));
            }
        }
        return new Found(
                without, holders, views, RowDrift.of(schema, rule, versions).isGhost());
    }

    private static Optional<Row> view(Purger purger, Row row) {
        Row view = new Row();
        if (!purger.purge(row, view)) {
            return Optional.of(row);
        }
        return view.isEmpty() ? Optional.empty() : Optional.of(view.toRow());
    }

    @Override
    public void close() throws IOException {
        if (rows.isPresent()) {
            rows.get().close();
        }
        rows = Optional.empty();
    }
}
