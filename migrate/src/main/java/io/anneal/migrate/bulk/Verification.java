package io.anneal.migrate.bulk;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Compares both sides entry by entry, in both directions. One thread runs it. */
public final class Verification<E extends BulkEntry> {
    private final BulkSource<E> origin;
    private final BulkSource<E> target;
    private final Builder<E> told;

    private Verification(Builder<E> told) {
        origin = told.origin;
        target = told.target;
        this.told = told;
    }

    public static <E extends BulkEntry> Builder<E> builder(BulkSource<E> origin, BulkSource<E> target) {
        return new Builder<>(origin, target);
    }

    /**
     * Compares what no earlier run of the same checkpoint has compared.
     *
     * @throws BulkRefusedException when the checkpoint is another's
     * @throws BulkFailedException when ranges failed as often as they were tried
     * @throws InterruptedException when the thread was interrupted; the next run goes on
     */
    public VerificationResult run() throws IOException, InterruptedException {
        throw new UnsupportedOperationException(origin.identity()
                + target.identity()
                + told.tolerance
                + told.rereads
                + told.rereadDelay
                + told.writtenBothSince
                + told.repair
                + told.mismatchesMax
                + told.samplesMax);
    }

    /** Collects what a verification is told. */
    public static final class Builder<E extends BulkEntry> extends BulkBuilder<Builder<E>> {
        private final BulkSource<E> origin;
        private final BulkSource<E> target;
        private BulkTolerance tolerance = BulkTolerance.VALUES;
        private int rereads = 3;
        private Duration rereadDelay = Duration.ofSeconds(2);
        private Optional<Instant> writtenBothSince = Optional.empty();
        private Optional<BulkTarget<E>> repair = Optional.empty();
        private long mismatchesMax = 100_000;
        private int samplesMax = 20;

        private Builder(BulkSource<E> origin, BulkSource<E> target) {
            this.origin = origin;
            this.target = target;
        }

        @Override
        Builder<E> self() {
            return this;
        }

        /** {@link BulkTolerance#VALUES} unless told. */
        public Builder<E> tolerance(BulkTolerance passed) {
            tolerance = passed;
            return this;
        }

        /**
         * A mismatch is read again on both sides, up to so often and each time after so long, and believed only if it is there
         * every time; 3 times after 2 s unless told.
         */
        public Builder<E> rereads(int count, Duration delay) {
            rereads = positive("rereads", count);
            rereadDelay = delay;
            return this;
        }

        /**
         * Since when every instance writes to both sides; mismatches that the origin got later are told apart. Unless told, the begin
         * of the first back-fill that the phase store has a note of since both sides are written.
         */
        public Builder<E> writtenBothSince(Instant since) {
            writtenBothSince = Optional.of(since);
            return this;
        }

        /**
         * Makes mismatches good in the target: writes what the origin has, with its times, and takes away what the origin has not, at
         * the target's own times. Only while the origin is right (phases 2 and 3).
         */
        public Builder<E> repair(BulkTarget<E> repaired) {
            repair = Optional.of(repaired);
            return this;
        }

        /** Gives up after so many mismatches, the result being incomplete; 100,000 unless told. */
        public Builder<E> mismatchesMax(long count) {
            mismatchesMax = count;
            return this;
        }

        /** How many mismatches are kept with their differences; 20 unless told. */
        public Builder<E> samplesMax(int count) {
            samplesMax = count;
            return this;
        }

        public Verification<E> build() {
            return new Verification<>(this);
        }
    }
}
