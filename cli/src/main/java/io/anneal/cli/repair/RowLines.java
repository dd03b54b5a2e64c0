package io.anneal.cli.repair;

import io.anneal.fragment.Row;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.DifferenceListener;
import io.anneal.repair.Repair;
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

    private final DifferingRows rows;
    private final boolean reads;
    private final Format format;

    /**
     * @param reads whether rows are read: not after what made them equal
     * @param notes hears why rows are not read any more
     */
    RowLines(Repair repair, boolean reads, LongSupplier nowSeconds, Consumer<String> notes, Format format) {
        rows = new DifferingRows(repair, nowSeconds, notes, "named", this::name);
        this.reads = reads;
        this.format = format;
    }

    @Override
    public void begins(TableSchema table, List<String> names) throws IOException {
        rows.begins(table, names);
    }

    private List<String> names(List<Integer> places) {
        return places.stream().map(rows.replicas()::get).toList();
    }

    @Override
    public void deletionDiffers(DeletionDifference difference) throws IOException {
        rows.flush();
        format.deletion(rows.schema(), difference, names(difference.lacking()));
    }

    @Override
    public void rowDiffers(RowDifference difference) throws IOException {
        if (reads) {
            rows.add(difference);
        } else {
            name(difference, Optional.empty());
        }
    }

    @Override
    public void ends() throws IOException {
        rows.flush();
    }

    private void name(RowDifference difference, Optional<DifferingRows.Found> found) throws IOException {
        format.row(rows.schema(), difference, names(difference.lacking()), found.map(this::found));
    }

    private Found found(DifferingRows.Found read) {
        List<RowDrift.Version> versions = read.versions();
        SessionPurgeRule rule = read.rule();
        TableSchema schema = rows.schema();
        Purger purger = new Purger(schema, rule);
        List<String> without = new ArrayList<>();
        List<String> holders = new ArrayList<>();
        List<Row> views = new ArrayList<>();
        for (int i = 0; i < versions.size(); i++) {
            Optional<Row> view = versions.get(i).row().flatMap(row -> view(purger, row));
            if (view.isPresent()) {
                holders.add(rows.replicas().get(i));
                views.add(view.get());
            } else {
                without.add(rows.replicas().get(i));
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
        rows.close();
    }
}
