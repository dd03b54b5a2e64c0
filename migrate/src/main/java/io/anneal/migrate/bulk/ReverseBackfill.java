package io.anneal.migrate.bulk;

import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import io.anneal.migrate.bulk.BulkBuilder.PhasesOf;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The way back from phases 4 and 5, on which the origin gets what was written to the target alone. One thread runs it.
 *
 * <pre>
 *   step back      5, 4, 3b: each once all instances acknowledged the one before
 *   wait           instances copy the keys of their journals to the origin, until no heartbeat tells of any
 *   verify         both sides in full; what the origin still lacks (a journal was lost) is copied, if a target is given
 *   verify again   if anything was copied so, with a note of its own: what was in the lost journal counts no more
 *   note           that phase 3 may be gone back to
 * </pre>
 *
 * Interrupted or refused in the middle it is simply run again; with a checkpoint it compares only what is left, as long as nobody changed
 * the phase.
 */
public final class ReverseBackfill<E extends BulkEntry> {
    private static final long ASK_NANOS = 200_000_000;

    private final Builder<E> told;
    private final PhaseControl control;
    private final String who;

    private ReverseBackfill(Builder<E> told) {
        PhasesOf phases = told.phases.orElseThrow(
                () -> new IllegalStateException("phases are needed, they are what is gone back in"));
        control = phases.control();
        who = phases.who();
        this.told = told;
    }

    /**
     * Begins to say how.
     *
     * @param why stands in the records
     */
    public static <E extends BulkEntry> Builder<E> builder(BulkSource<E> origin, BulkSource<E> target, String why) {
        return new Builder<>(origin, target, why);
    }

    /**
     * Goes back, waits, verifies.
     *
     * @throws BulkRefusedException when the phase is changed meanwhile, or when instances do not work their journals off in time:
     *     names them
     * @throws io.anneal.dualdao.control.GateException when a step is refused, or instances do not acknowledge it in time
     */
    public ReverseResult run() throws IOException, InterruptedException {
        PhaseRecord current = control.reverseToBoth(
                who, told.why, told.patience, wait -> told.environment.sleeper().sleepNanos(wait.toNanos()));
        WorkStart start = control.begin();
        awaitJournals();
        VerificationResult found = verify(current, told.repair);
        if (found.clean() && found.repaired() > 0) {
            WorkStart again = control.begin();
            VerificationResult mended = verify(current, Optional.empty());
            control.finish(again, PhaseNote.Kind.VERIFICATION, who, facts(mended));
            found = mended.clean() ? found : mended;
        }
        control.finish(start, PhaseNote.Kind.REVERSE_BACKFILL, who, facts(found));
        return new ReverseResult(control.current(), found);
    }

    private static Map<String, String> facts(VerificationResult found) {
        long mismatches = found.complete() ? found.mismatches() : Math.max(1, found.mismatches());
        return Map.of(
                Facts.MISMATCHES,
                Long.toString(mismatches),
                Facts.ROWS,
                Long.toString(found.entries()),
                Facts.WHOLE,
                "true");
    }

    private void awaitJournals() throws InterruptedException {
        Instant deadline = told.environment.clock().instant().plus(told.patience);
        while (true) {
            List<String> left = control.lacking(Side.ORIGIN);
            if (left.isEmpty()) {
                return;
            }
            if (!told.environment.clock().instant().isBefore(deadline)) {
                throw new BulkRefusedException(
                        "instances have keys left that the origin may lack, run it again once they have none; declare"
                                + " those dead that are, name=" + control.name() + ", instances=" + left + ", waited="
                                + told.patience);
            }
            told.environment.sleeper().sleepNanos(ASK_NANOS);
        }
    }

    /** The target is right here, so the two change places. */
    private VerificationResult verify(PhaseRecord back, Optional<BulkTarget<E>> repair)
            throws IOException, InterruptedException {
        Verification.Builder<E> verification = Verification.builder(told.target, told.origin)
                .as(told)
                .tolerance(told.tolerance)
                .rereads(told.rereads, told.rereadDelay)
                .wayBack(back.version());
        repair.ifPresent(verification::repair);
        return exchanged(verification.build().run());
    }

    private static VerificationResult exchanged(VerificationResult found) {
        return new VerificationResult(
                found.entries(),
                found.onlyTarget(),
                found.onlyOrigin(),
                found.different(),
                found.cleared(),
                found.writtenPast(),
                found.repaired(),
                found.complete(),
                found.samples().stream().map(BulkMismatch::exchanged).toList(),
                found.ranges(),
                found.resumedRanges(),
                found.seconds());
    }

    /** Collects what a reverse back-fill is told: at least its {@link #phases}. */
    public static final class Builder<E extends BulkEntry> extends BulkBuilder<Builder<E>> {
        private final BulkSource<E> origin;
        private final BulkSource<E> target;
        private final String why;
        private Optional<BulkTarget<E>> repair = Optional.empty();
        private Duration patience = Duration.ofMinutes(10);
        private BulkTolerance tolerance = BulkTolerance.VALUES;
        private int rereads = 3;
        private Duration rereadDelay = Duration.ofSeconds(2);

        private Builder(BulkSource<E> origin, BulkSource<E> target, String why) {
            this.origin = origin;
            this.target = target;
            this.why = why;
        }

        @Override
        Builder<E> self() {
            return this;
        }

        /** What the origin is written through where it still differs; without, differences are only told. */
        public Builder<E> repair(BulkTarget<E> originWritten) {
            repair = Optional.of(originWritten);
            return this;
        }

        /** How long instances may take for each step, and for their journals; 10 minutes unless told. */
        public Builder<E> patience(Duration longest) {
            patience = longest;
            return this;
        }

        public Builder<E> tolerance(BulkTolerance passed) {
            tolerance = passed;
            return this;
        }

        /** As {@link Verification.Builder#rereads}. */
        public Builder<E> rereads(int count, Duration delay) {
            rereads = positive("rereads", count);
            rereadDelay = delay;
            return this;
        }

        /** @throws IllegalStateException without phases, which it goes back in */
        public ReverseBackfill<E> build() {
            return new ReverseBackfill<>(this);
        }
    }
}
