package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationLimit;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.table.Engine;
import io.anneal.table.TableWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Writes to several partitions, of several tables too, that last together: after a crash there are all of them or none. They
 * do not become visible together: a reader may see some before the others, until {@link #apply()} returns. When one of them
 * is wrong, none is made. Nothing reaches a table before {@link #apply()} or {@link #applyAsync()}. One thread.
 *
 * <pre>{@code
 * StoreBatch batch = store.batch();
 * batch.row(orders).key("customer", 7).clustering("placed", now).set("item", "bread").insert();
 * batch.row(stock).key("item", "bread").set("count", 11).update();
 * batch.apply();
 * }</pre>
 */
public final class StoreBatch {
    private final Engine engine;
    private final List<TableWrite> writes = new ArrayList<>();
    private boolean applied;

    StoreBatch(Engine engine) {
        this.engine = engine;
    }

    /** Takes the mutations of one table; reads and times are the table's. */
    private final class Sink implements MutationSink {
        private final Table table;
        private final MutationSink direct;

        private Sink(Table table) {
            this.table = table;
            direct = table.sink();
        }

        @Override
        public void apply(Mutation mutation) {
            requireOpen();
            if (!mutation.isEmpty()) {
                writes.add(new TableWrite(table.liveTable(), mutation));
            }
        }

        @Override
        public CompletableFuture<Void> applyAsync(Mutation mutation) {
            throw new UnsupportedOperationException("mutation is part of a batch: apply adds it there");
        }

        @Override
        public MutationLimit mutationLimit() {
            return direct.mutationLimit();
        }

        @Override
        public long nextTimestampMicros() {
            return direct.nextTimestampMicros();
        }

        @Override
        public long nowSeconds() {
            return direct.nowSeconds();
        }

        @Override
        public FragmentCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
            return direct.read(key, slices, reversed);
        }
    }

    private Sink sink(Table table) {
        requireOpen();
        if (table.engine() != engine) {
            throw new IllegalArgumentException(
                    "table is another store's, table=" + table.schema().qualifiedName());
        }
        return new Sink(table);
    }

    /** Begins a write to a row, which is part of the batch once it ends. */
    public RowBuilder row(Table table) {
        Objects.requireNonNull(table, "table");
        return TableMutation.row(table.schema(), sink(table));
    }

    /** Begins the deletion of a range of rows, which is part of the batch once it ends. */
    public RangeDeletionBuilder rangeDeletion(Table table) {
        Objects.requireNonNull(table, "table");
        return TableMutation.rangeDeletion(table.schema(), sink(table));
    }

    /** Adds a mutation of a table. */
    public StoreBatch add(Table table, Mutation mutation) {
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(mutation, "mutation");
        sink(table).apply(mutation);
        return this;
    }

    /**
     * Adds what a mutation of the table has collected: {@code table.mutation()}. Nothing can be added to that any more.
     *
     * @throws IllegalStateException as {@link TableMutation#build()}
     */
    public StoreBatch add(Table table, TableMutation mutation) {
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(mutation, "mutation");
        sink(table).apply(mutation.build());
        return this;
    }

    /**
     * Applies the writes, and returns once they last as the store's sync mode says, and all are visible. A batch without writes
     * does nothing.
     *
     * @throws IllegalArgumentException when a mutation does not fit its table, or the batch has more than 64 MiB, or than
     *     {@link io.anneal.table.StoreConfig#withMutationMaxBytes} allows one mutation: nothing is written
     * @throws IllegalStateException when it was applied before, or a table is dropped meanwhile
     * @throws io.anneal.io.StorageException when the disk fails: whether the writes last is not known, but all do or none
     */
    public void apply() throws IOException {
        if (end()) {
            engine.apply(List.copyOf(writes));
        }
    }

    /** The same without waiting for the disk; waits where memory for writes is used up. */
    public CompletableFuture<Void> applyAsync() {
        return end() ? engine.applyAsync(List.copyOf(writes)) : CompletableFuture.completedFuture(null);
    }

    /** Whether there is something to apply. */
    private boolean end() {
        requireOpen();
        applied = true;
        return !writes.isEmpty();
    }

    private void requireOpen() {
        if (applied) {
            throw new IllegalStateException("batch was applied already, ask for a new one");
        }
    }
}
