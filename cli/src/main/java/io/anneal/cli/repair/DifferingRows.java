package io.anneal.cli.repair;

import io.anneal.key.RingPosition;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.Repair;
import io.anneal.repair.ReplicaRows;
import io.anneal.repair.RowDrift;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reads rows in which replicas differ from all of them, until one can't be read: that must not end the repair, and is said once. One
 * call at a time.
 */
final class DifferingRows implements Closeable {
    private final Repair repair;
    private final LongSupplier nowSeconds;
    private final Consumer<String> notes;
    private final String otherwise;

    private TableSchema schema;
    private List<String> replicas = List.of();
    private Optional<ReplicaRows> rows = Optional.empty();
    private boolean isUnreadable;

    /**
     * @param notes hears why rows are not read any more
     * @param otherwise what is done with rows that are not read, for the note
     */
    DifferingRows(Repair repair, LongSupplier nowSeconds, Consumer<String> notes, String otherwise) {
        this.repair = repair;
        this.nowSeconds = nowSeconds;
        this.notes = notes;
        this.otherwise = otherwise;
    }

    /** As {@link io.anneal.repair.DifferenceListener#begins}. */
    void begins(TableSchema table, List<String> names) throws IOException {
        boolean isOther =
                schema == null || !schema.qualifiedName().equals(table.qualifiedName()) || !replicas.equals(names);
        schema = table;
        replicas = List.copyOf(names);
        if (isOther) {
            close();
        }
    }

    /** Of the table that was begun last. */
    TableSchema schema() {
        return schema;
    }

    /** Names of those it was begun with. */
    List<String> replicas() {
        return replicas;
    }

    /**
     * What was made of the row; empty when it can't be read, or one before it could not.
     *
     * @param use is given what each replica holds there, and what may be purged of it
     * @throws IOException when the thread was interrupted: nobody waits for rows any more, and a later run tells them
     */
    <T> Optional<T> read(RingPosition place, BiFunction<List<RowDrift.Version>, SessionPurgeRule, T> use)
            throws IOException {
        if (isUnreadable) {
            return Optional.empty();
        }
        try {
            if (rows.isEmpty()) {
                rows = Optional.of(repair.rows(schema, replicas));
            }
            List<RowDrift.Version> versions = rows.get().read(place);
            SessionPurgeRule rule = new SessionPurgeRule(
                    nowSeconds.getAsLong(), schema.options().gcGraceSeconds());
            return Optional.of(use.apply(versions, rule));
        } catch (IOException | RuntimeException e) {
            if (e instanceof InterruptedIOException || Thread.currentThread().isInterrupted()) {
                throw e;
            }
            isUnreadable = true;
            notes.accept("rows that differ are " + otherwise + ", but not read any more: " + e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        if (rows.isPresent()) {
            rows.get().close();
        }
        rows = Optional.empty();
    }
}
