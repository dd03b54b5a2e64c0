package io.anneal.cli.repair;

import io.anneal.io.ByteWriter;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.Repair;
import io.anneal.repair.ReplicaRows;
import io.anneal.repair.RowDifference;
import io.anneal.repair.RowDrift;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reads rows in which replicas differ from all of them, many at once, until one can't be read: that must not end the repair, and is said
 * once. One call at a time.
 */
final class DifferingRows implements Closeable {
    /** Takes rows in the order in which they were added. */
    @FunctionalInterface
    interface Reader {
        /** @param found empty when the row can't be read, or one before it could not */
        void read(RowDifference difference, Optional<Found> found) throws IOException;
    }

    /**
     * A row as it was read.
     *
     * @param versions what each replica holds there
     * @param rule what may be purged of it
     */
    record Found(List<RowDrift.Version> versions, SessionPurgeRule rule) {}

    private interface Attempt<T> {
        T make() throws IOException;
    }

    private final Repair repair;
    private final LongSupplier nowSeconds;
    private final Consumer<String> notes;
    private final String otherwise;
    private final Reader reader;

    private TableSchema schema;
    private List<String> replicas = List.of();
    private Optional<ReplicaRows> rows = Optional.empty();
    private boolean isUnreadable;

    /** Those that wait for more, so that they are read together. */
    private final List<RowDifference> waiting = new ArrayList<>();
    /** Their places, for the length. */
    private final ByteWriter places = new ByteWriter(64);

    /**
     * @param notes hears why rows are not read any more
     * @param otherwise what is done with rows that are not read, for the note
     */
    DifferingRows(Repair repair, LongSupplier nowSeconds, Consumer<String> notes, String otherwise, Reader reader) {
        this.repair = repair;
        this.nowSeconds = nowSeconds;
        this.notes = notes;
        this.otherwise = otherwise;
        this.reader = reader;
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

    /** Reads a row, now or with others; see {@link #flush}. */
    void add(RowDifference difference) throws IOException {
        waiting.add(difference);
        difference.place().encode(places);
        if (ReplicaRows.isMuch(waiting.size(), places.lengthBytes())) {
            flush();
        }
    }

    /**
     * Reads those that wait.
     *
     * @throws IOException what the reader throws; or when the thread was interrupted: nobody waits for rows any more, and a later
     *     run tells them
     */
    void flush() throws IOException {
        List<RowDifference> all = List.copyOf(waiting);
        waiting.clear();
        places.clear();
        if (all.isEmpty()) {
            return;
        }
        Optional<ReplicaRows.Reading> reading =
                attempt(() -> rows().read(all.stream().map(RowDifference::place).toList()));
        try {
            for (RowDifference difference : all) {
                reader.read(difference, reading.isPresent() ? attempt(() -> next(reading.get())) : Optional.empty());
            }
        } finally {
            reading.ifPresent(ReplicaRows.Reading::close);
        }
    }

    private ReplicaRows rows() throws IOException {
        if (rows.isEmpty()) {
            rows = Optional.of(repair.rows(schema, replicas));
        }
        return rows.get();
    }

    private Found next(ReplicaRows.Reading reading) throws IOException {
        SessionPurgeRule rule =
                new SessionPurgeRule(nowSeconds.getAsLong(), schema.options().gcGraceSeconds());
        return new Found(reading.next(), rule);
    }

    private <T> Optional<T> attempt(Attempt<T> reading) throws IOException {
        if (isUnreadable) {
            return Optional.empty();
        }
        try {
            return Optional.of(reading.make());
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
