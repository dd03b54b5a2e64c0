package io.anneal.migrate.bulk;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobRefusedException;
import io.anneal.job.RangeJob;
import io.anneal.job.UnitRun;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Copies all of a source to a target, with the times of its writes, so that a copy loses against whatever is written or deleted meanwhile.
 * Range by range, several at once, row by row, with a bounded number of writes under way; a range that fails is copied again from its
 * begin, and an interrupted run goes on with the ranges that are not done. One thread runs it.
 *
 * <p>It copies what is there and no deletions. A target that missed deletions, since both sides were written, then one, then both again,
 * has rows too much afterwards: {@link Verification.Builder#repair} takes them away.
 */
public final class Backfill<E extends BulkEntry> {
    static final String KIND = "backfill";

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
     * @throws BulkRefusedException when the two sides are the same or do not fit, when the phase is not one in which both are
     *     written and the origin is right (2 and 3) or not every instance acknowledged it
     * @throws JobRefusedException when the checkpoint is another's
     * @throws JobAbortedException when it was aborted; the next run goes on
     * @throws JobFailedException when ranges failed, for the last time that they are tried
     * @throws InterruptedException when the thread was interrupted; the next run goes on
     */
    public BackfillResult run() throws IOException, InterruptedException {
        BulkSides.requireDifferent(source.identity(), target.identity());
        BulkSides.requireFit(source.identity(), source.shape(), target.identity(), target.shape());
        Optional<BulkPhase> phase = BulkPhase.of(told.phases, KIND, BulkPhase::requireBackfill, told.environment);
        phase.ifPresent(BulkPhase::require);
        phase.ifPresent(BulkPhase::requireAcknowledged);
        BulkRun.Identity identity = new BulkRun.Identity(KIND, source.identity(), target.identity(), source.shape());
        long epoch = phase.map(BulkPhase::epoch).orElse(0L);
        try (BulkRun run =
                BulkRun.open(told, KIND, phase, identity, epoch, Long.MIN_VALUE, () -> source.ranges(told.ranges))) {
            Optional<BulkTarget.RangeTransfer> transfer = target.wholeRanges(source);
            run.job().run(unit -> {
                if (transfer.isPresent()) {
                    move(transfer.get(), unit);
                } else {
                    copy(unit);
                }
                target.finish(unit.unit());
                return RangeJob.Outcome.DONE;
            });
            return finish(run);
        }
    }

    private BackfillResult finish(BulkRun run) throws IOException {
        RangeJob<BulkRange> job = run.job();
        job.finish();
        BulkProgress progress = run.progress();
        run.phase()
                .ifPresent(part -> part.note(
                        PhaseNote.Kind.BACKFILL,
                        run.start(),
                        progress,
                        Map.of(Facts.WHOLE, "true", Facts.TEXT, source.identity() + " to " + target.identity())));
        job.complete();
        return new BackfillResult(
                progress.rows(), progress.bytes(), progress.rangesTotal(), job.resumed(), job.retries(), job.seconds());
    }

    private static void move(BulkTarget.RangeTransfer transfer, UnitRun<BulkRange> unit)
            throws IOException, InterruptedException {
        unit.pace(1, 0);
        BulkTarget.RangeTransfer.Moved moved = transfer.move(unit.unit());
        unit.add(moved.entries(), moved.bytes());
    }

    private void copy(UnitRun<BulkRange> unit) throws IOException, InterruptedException {
        BulkRange range = unit.unit();
        Deque<CompletableFuture<Void>> underWay = new ArrayDeque<>();
        int underWayMax = Math.max(1, told.writesInFlight / told.parallel);
        try (BulkCursor<E> entries = source.open(range)) {
            for (E entry = entries.next(); entry != null; entry = entries.next()) {
                long lengthBytes = entry.lengthBytes();
                unit.pace(1, lengthBytes);
                if (underWay.size() == underWayMax) {
                    await(underWay.removeFirst(), range);
                }
                underWay.addLast(target.write(entry).toCompletableFuture());
                unit.add(1, lengthBytes);
                unit.covered(range.widthUpTo(entry.position()));
            }
            while (!underWay.isEmpty()) {
                await(underWay.removeFirst(), range);
            }
        } catch (IOException | RuntimeException e) {
            // It starts anew once nothing of it is under way, so that the bound holds.
            CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new))
                    .handle((ended, failure) -> null)
                    .join();
            throw e;
        }
    }

    private void await(CompletableFuture<Void> write, BulkRange range) throws IOException, InterruptedException {
        try {
            write.get();
        } catch (ExecutionException e) {
            throw new IOException(
                    "write failed, target=" + target.identity() + ", range=" + range + ", reason="
                            + e.getCause().getMessage(),
                    e.getCause());
        }
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
