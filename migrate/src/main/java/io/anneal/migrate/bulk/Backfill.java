package io.anneal.migrate.bulk;

import java.io.IOException;

/** Copies all of a source to a target. One thread runs it. */
public final class Backfill<E extends BulkEntry> {
    private final BulkSource<E> source;
    private final BulkTarget<E> target;
    private final Builder<E> told;

    private Backfill(Builder<E> told) {
        source = told.source;
        target = told.target;
        this.told = told;
    }

    public static <E extends BulkEntry> Builder<E> builder(BulkSource<E> source, BulkTarget<E> target) {
        return new Builder<>(source, target);
    }

    /**
     * Copies what no earlier run of the same checkpoint has copied; returns when all of it is in the target.
     *
     * @throws BulkRefusedException when the phase is not one in which both sides are written, or the checkpoint is another's
     * @throws BulkFailedException when ranges failed as often as they were tried
     * @throws InterruptedException when the thread was interrupted; the next run goes on
     */
    public BackfillResult run() throws IOException, InterruptedException {
        throw new UnsupportedOperationException(source.identity() + target.identity() + told.writesInFlight);
    }

    /** Collects what a back-fill is told. */
    public static final class Builder<E extends BulkEntry> extends BulkBuilder<Builder<E>> {
        private final BulkSource<E> source;
        private final BulkTarget<E> target;
        private int writesInFlight = 256;

        private Builder(BulkSource<E> source, BulkTarget<E> target) {
            this.source = source;
            this.target = target;
        }

        @Override
        Builder<E> self() {
            return this;
        }

        /** How many writes may be under way over all ranges; 256 unless told. */
        public Builder<E> writesInFlight(int count) {
            writesInFlight = positive("writesInFlight", count);
            return this;
        }

        public Backfill<E> build() {
            return new Backfill<>(this);
        }
    }
}
