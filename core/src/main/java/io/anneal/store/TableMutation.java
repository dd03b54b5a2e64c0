package io.anneal.store;

import io.anneal.fragment.Mutation;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Several writes to one partition that become visible and lasting together. Each begins with {@link #row()} or {@link
 * #rangeDeletion()} and ends as that builder says; one that names no key is to the partition of those before it. Nothing
 * reaches the table before {@link #apply()} or {@link #applyAsync()}. A write without a timestamp gets one behind those
 * before it, so that of two writes to the same place the later one counts. Writes may turn out to change nothing, as the
 * removal of a value that no element of a list has: they name the partition all the same, and a mutation of nothing else is
 * applied by doing nothing. One without any write has no partition and is refused. One thread.
 *
 * <pre>{@code
 * TableMutation mutation = table.mutation();
 * mutation.row().key("customer", 7).set("name", "Ada").update();
 * mutation.row().clustering("placed", now).set("item", "bread").insert();
 * mutation.apply();
 * }</pre>
 */
public final class TableMutation {
    private final TableSchema schema;
    private final MutationSink sink;
    private final WriteTarget target;
    private Optional<Mutation.Builder> collected = Optional.empty();
    /** Of {@link #collected}. */
    private Optional<DecoratedKey> key = Optional.empty();

    private boolean built;

    TableMutation(TableSchema schema, MutationSink sink) {
        this.schema = schema;
        this.sink = sink;
        target = new Target();
    }

    /** Begins a write to a row that is applied as soon as it ends. */
    static RowBuilder row(TableSchema schema, MutationSink sink) {
        return new RowBuilder(schema, new TableMutation(schema, sink).appliedAtOnce());
    }

    /** Begins the deletion of a range that is applied as soon as it ends. */
    static RangeDeletionBuilder rangeDeletion(TableSchema schema, MutationSink sink) {
        return new RangeDeletionBuilder(schema, new TableMutation(schema, sink).appliedAtOnce());
    }

    private WriteTarget appliedAtOnce() {
        return new Target() {
            @Override
            public void add(DecoratedKey partition, List<Write> writes) throws IOException {
                super.add(partition, writes);
                apply();
            }
        };
    }

    /** Begins a write to a row. */
    public RowBuilder row() {
        requireOpen();
        return new RowBuilder(schema, target);
    }

    /** Begins the deletion of a range of rows. */
    public RangeDeletionBuilder rangeDeletion() {
        requireOpen();
        return new RangeDeletionBuilder(schema, target);
    }

    /**
     * What was written so far, which is {@linkplain Mutation#isEmpty() empty} when that changes nothing; nothing can be added
     * any more.
     *
     * @throws IllegalStateException when there was no write, or this was built or applied before
     */
    public Mutation build() {
        requireOpen();
        Mutation.Builder writes = collected.orElseThrow(() -> new IllegalStateException(
                "mutation has no write and so no partition, table=" + schema.qualifiedName()));
        built = true;
        // What is encoded is held once.
        collected = Optional.empty();
        return writes.build();
    }

    /**
     * Applies the writes, and returns once they last as the store's sync mode promises, and are visible.
     *
     * @throws IllegalStateException as {@link #build()}
     * @throws io.anneal.io.StorageException when the disk fails: whether the writes last is not known
     */
    public void apply() throws IOException {
        sink.apply(build());
    }

    /**
     * Applies the writes; the future completes when {@link #apply()} would return.
     *
     * @throws IllegalStateException as {@link #build()}
     */
    public CompletableFuture<Void> applyAsync() {
        return sink.applyAsync(build());
    }

    private void requireOpen() {
        if (built) {
            throw new IllegalStateException(
                    "mutation was built or applied already, ask for a new one, table=" + schema.qualifiedName());
        }
    }

    /** What a mutation is for the builders of its writes. */
    private class Target implements WriteTarget {
        @Override
        public void add(DecoratedKey partition, List<Write> writes) throws IOException {
            requireOpen();
            if (key.isPresent() && !key.get().equals(partition)) {
                throw new IllegalArgumentException("mutation writes to one partition, table=" + schema.qualifiedName()
                        + ", key=" + key.get() + ", other=" + partition);
            }
            Mutation.Builder out = collected.orElseGet(() -> Mutation.builder(schema, partition, sink.mutationLimit()));
            int lengthBefore = out.lengthBytes();
            boolean added = false;
            try {
                writes.forEach(write -> encode(write, out));
                added = true;
            } finally {
                if (!added) {
                    // All of it or nothing.
                    out.truncate(lengthBefore);
                }
            }
            key = Optional.of(partition);
            collected = Optional.of(out);
        }

        private static void encode(Write write, Mutation.Builder out) {
            switch (write.kind()) {
                case PARTITION_DELETION -> out.partitionDeletion(write.deletion());
                case STATIC_ROW, CLUSTERING_ROW -> out.row(write.row());
                case RANGE_DELETION -> out.rangeDeletion(write.range());
            }
        }

        @Override
        public long timestampMicros() {
            return sink.nextTimestampMicros();
        }

        @Override
        public long localTimeSeconds(long timestampMicros) {
            return sink.nowSeconds();
        }

        /** Timestamps never come again, not even after a restart: what else tells apart elements with given timestamps. */
        @Override
        public long nextElementNumber() {
            return sink.nextTimestampMicros();
        }

        @Override
        public Optional<DecoratedKey> usualPartition() {
            return key;
        }

        @Override
        public List<ListElement> listElements(DecoratedKey partition, Slices slices, Column column) throws IOException {
            return ListElement.read(sink.read(partition, slices, false), column, sink.nowSeconds());
        }

        @Override
        public void requireSettable(Column column) {
            if (column.type().isCounter()) {
                throw new UnsupportedOperationException(
                        "store takes no counters: an increment needs one leader that reads before it writes, table="
                                + schema.qualifiedName() + ", column=" + column.name());
            }
        }
    }
}
