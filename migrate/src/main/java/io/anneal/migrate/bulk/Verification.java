package io.anneal.migrate.bulk;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobRefusedException;
import io.anneal.job.RangeJob;
import io.anneal.job.RangeJob.Outcome;
import io.anneal.job.UnitRun;
import io.anneal.merge.LockStep;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Compares both sides entry by entry, in both directions: a merge join of two ordered streams, range by range, several at once. While
 * both are written a row is often on one side a moment before it is on the other; so what differs is set aside, read again on both
 * sides after a while, and believed only if it differs every time. An interrupted run goes on with the ranges that are not
 * done. One thread runs it.
 *
 * <pre>
 *   compare all ranges   suspects: aside           a range without any is done; with too many for memory it goes on at once
 *   wait, read again     equal: cleared            as often as told, all ranges at once
 *   believe              count, sample, repair
 * </pre>
 */
public final class Verification<E extends BulkEntry> {
    static final String KIND = "verify";
    /** Mismatches that are named in the note, by key alone. */
    private static final int NOTED_MAX = 5;
    /** Of suspects that wait in memory until all ranges are compared. */
    private static final long ASIDE_BYTES_MAX = 64 << 20;

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
     * @throws BulkRefusedException when the two sides are the same or do not fit, when what is to be made good is right, or when
     *     not every instance acknowledged that
     * @throws JobRefusedException when the checkpoint is another's
     * @throws JobAbortedException when it was aborted; the next run goes on
     * @throws JobFailedException when ranges failed, for the last time that they are tried
     * @throws InterruptedException when the thread was interrupted; the next run goes on
     */
    public VerificationResult run() throws IOException, InterruptedException {
        BulkSides.requireDifferent(origin.identity(), target.identity());
        BulkSides.requireFit(origin.identity(), origin.shape(), target.identity(), target.shape());
        Optional<BulkPhase> phase = BulkPhase.of(told.phases, KIND, told.condition(), told.environment);
        phase.ifPresent(BulkPhase::require);
        if (told.repair.isPresent()) {
            phase.ifPresent(BulkPhase::requireAcknowledged);
        }
        BulkRun.Identity identity =
                new BulkRun.Identity(KIND + " " + told.tolerance, origin.identity(), target.identity(), origin.shape());
        long epoch = told.wayBack.isPresent()
                ? told.wayBack.getAsLong()
                : phase.map(BulkPhase::epoch).orElse(0L);
        // What was compared before the data was copied says nothing of the copy.
        long validSinceMillis =
                phase.flatMap(BulkPhase::backfilled).map(Instant::toEpochMilli).orElse(Long.MIN_VALUE);
        try (BulkRun run =
                BulkRun.open(told, KIND, phase, identity, epoch, validSinceMillis, () -> origin.ranges(told.ranges))) {
            return new Session(run).result();
        }
    }

    /** One run. */
    private final class Session {
        private final BulkRun run;
        private final Rereads<E> rereads;
        private final Map<BulkRange, RangeComparison<E>> aside = new ConcurrentHashMap<>();
        private final AtomicLong asideBytes = new AtomicLong();
        private final Queue<RangeComparison<E>> settled = new ConcurrentLinkedQueue<>();

        Session(BulkRun run) {
            this.run = run;
            Optional<Instant> since = told.wayBack.isPresent()
                    ? Optional.empty()
                    : told.writtenBothSince.or(() -> run.phase().flatMap(BulkPhase::writtenBothSince));
            rereads = new Rereads<>(run, origin, target, told.repair, told.tolerance, since, told.samplesMax);
        }

        VerificationResult result() throws IOException, InterruptedException {
            RangeJob<BulkRange> job = run.job();
            job.run(this::compare);
            for (int i = 0; i < told.rereads && !aside.isEmpty(); i++) {
                job.run(List.copyOf(aside.keySet()), this::readAgain);
            }
            job.run(List.copyOf(aside.keySet()), this::believe);
            job.finish();
            VerificationResult result = sum();
            if (told.wayBack.isEmpty()) {
                note(result);
            }
            if (result.complete()) {
                job.complete();
            }
            return result;
        }

        private void note(VerificationResult result) {
            Map<String, String> facts = new HashMap<>();
            facts.put(
                    Facts.MISMATCHES,
                    Long.toString(result.complete() ? result.mismatches() : Math.max(1, result.mismatches())));
            facts.put(Facts.WRITTEN_PAST, Long.toString(result.writtenPast()));
            facts.put(Facts.WHOLE, "true");
            facts.put(
                    Facts.TEXT,
                    origin.identity() + " and " + target.identity()
                            + result.samples().stream()
                                    .limit(NOTED_MAX)
                                    .map(sample -> "; "
                                            + new BulkMismatch(
                                                    sample.key(), sample.kind(), sample.writtenPast(), List.of()))
                                    .collect(Collectors.joining()));
            run.phase().ifPresent(part -> part.note(PhaseNote.Kind.VERIFICATION, run.start(), run.progress(), facts));
        }

        private boolean tooMany() {
            return run.mismatches() >= told.mismatchesMax;
        }

        private Outcome compare(UnitRun<BulkRange> unit) throws IOException, InterruptedException {
            if (tooMany()) {
                return Outcome.OPEN;
            }
            RangeComparison<E> comparison = new RangeComparison<>();
            boolean done = false;
            try {
                Outcome outcome = compare(comparison, unit);
                done = true;
                return outcome;
            } finally {
                if (!done) {
                    run.addMismatches(-comparison.unrepaired());
                }
            }
        }

        private Outcome compare(RangeComparison<E> comparison, UnitRun<BulkRange> unit)
                throws IOException, InterruptedException {
            try (BulkCursor<E> left = origin.open(unit.unit());
                    BulkCursor<E> right = target.open(unit.unit())) {
                join(comparison, left, right, unit);
            }
            if (asideBytes.addAndGet(comparison.suspectBytes()) > ASIDE_BYTES_MAX) {
                asideBytes.addAndGet(-comparison.suspectBytes());
                believeAtOnce(comparison);
            }
            if (comparison.hasSuspects() || comparison.mismatches() > 0) {
                comparison.seen(told.environment.nanoTime().getAsLong());
                aside.put(unit.unit(), comparison);
                return Outcome.OPEN;
            }
            return settle(comparison);
        }

        private void join(
                RangeComparison<E> comparison, BulkCursor<E> left, BulkCursor<E> right, UnitRun<BulkRange> unit)
                throws IOException, InterruptedException {
            LockStep<E> walk = new LockStep<>(left::next, right::next, origin.order());
            while (walk.next()) {
                E inOrigin = walk.left();
                E inTarget = walk.right();
                if (inOrigin == null
                        || inTarget == null
                        || !inOrigin.differences(inTarget, told.tolerance).isEmpty()) {
                    comparison.suspect(inOrigin, inTarget);
                    if (comparison.isFull()) {
                        believeAtOnce(comparison);
                        if (tooMany()) {
                            return;
                        }
                    }
                }
                long lengthBytes = walk.either().lengthBytes();
                unit.pace(1, lengthBytes);
                unit.add(1, lengthBytes);
                unit.covered(unit.unit().widthUpTo(walk.either().position()));
            }
        }

        /** So many suspects that they don't fit in memory together with those to come. */
        private void believeAtOnce(RangeComparison<E> comparison) throws IOException, InterruptedException {
            for (int i = 0; i < told.rereads && comparison.hasSuspects(); i++) {
                told.environment.sleeper().sleepNanos(told.rereadDelay.toNanos());
                rereads.readAgain(comparison);
            }
            run.addMismatches(rereads.believe(comparison));
        }

        private Outcome readAgain(UnitRun<BulkRange> unit) throws IOException, InterruptedException {
            RangeComparison<E> comparison = aside.get(unit.unit());
            long now = told.environment.nanoTime().getAsLong();
            long waitNanos = comparison.seenNanos() + told.rereadDelay.toNanos() - now;
            if (waitNanos > 0) {
                told.environment.sleeper().sleepNanos(waitNanos);
            }
            rereads.readAgain(comparison);
            comparison.seen(told.environment.nanoTime().getAsLong());
            if (comparison.hasSuspects() || comparison.mismatches() > 0) {
                return Outcome.OPEN;
            }
            aside.remove(unit.unit());
            return settle(comparison);
        }

        private Outcome believe(UnitRun<BulkRange> unit) throws IOException, InterruptedException {
            RangeComparison<E> comparison = aside.get(unit.unit());
            run.addMismatches(rereads.believe(comparison));
            settled.add(comparison);
            return Outcome.UNRECORDED;
        }

        /** Nothing differs: it need not be compared again. */
        private Outcome settle(RangeComparison<E> comparison) {
            settled.add(comparison);
            return Outcome.DONE;
        }

        private VerificationResult sum() {
            List<BulkMismatch> samples = new ArrayList<>();
            long onlyOrigin = 0;
            long onlyTarget = 0;
            long different = 0;
            long cleared = 0;
            long writtenPast = 0;
            long repaired = 0;
            for (RangeComparison<E> comparison : settled) {
                onlyOrigin += comparison.onlyOrigin();
                onlyTarget += comparison.onlyTarget();
                different += comparison.different();
                cleared += comparison.cleared();
                writtenPast += comparison.writtenPast();
                repaired += comparison.repaired();
                samples.addAll(comparison.samples());
            }
            samples.sort(Comparator.comparing(BulkMismatch::writtenPast).reversed());
            BulkProgress progress = run.progress();
            return new VerificationResult(
                    progress.rows(),
                    onlyOrigin,
                    onlyTarget,
                    different,
                    cleared,
                    writtenPast,
                    repaired,
                    progress.rangesDone() == progress.rangesTotal() && !tooMany(),
                    samples.subList(0, Math.min(told.samplesMax, samples.size())),
                    progress.rangesTotal(),
                    run.job().resumed(),
                    run.job().seconds());
        }
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
        private OptionalLong wayBack = OptionalLong.empty();

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
         * the target's own times. Only while the origin is right (phases 2 and 3): the run ends when it is not any more.
         */
        public Builder<E> repair(BulkTarget<E> repaired) {
            repair = Optional.of(repaired);
            return this;
        }

        /** Gives up after so many mismatches that were not made good, the result being incomplete; 100,000 unless told. */
        public Builder<E> mismatchesMax(long count) {
            mismatchesMax = count;
            return this;
        }

        /** How many mismatches are kept with their differences; 20 unless told. */
        public Builder<E> samplesMax(int count) {
            samplesMax = count;
            return this;
        }

        /**
         * A part of the way back, on which target and origin change places: repairs go to the origin, as long as the record of
         * that version is in force. Leaves no note of its own.
         */
        Builder<E> wayBack(long version) {
            wayBack = OptionalLong.of(version);
            return this;
        }

        private Consumer<BulkPhase> condition() {
            if (wayBack.isPresent()) {
                return phase -> phase.requireVersion(wayBack.getAsLong());
            }
            return repair.isPresent() ? BulkPhase::requireOriginRight : phase -> {};
        }

        public Verification<E> build() {
            return new Verification<>(this);
        }
    }
}
