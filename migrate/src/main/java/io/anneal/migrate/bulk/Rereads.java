package io.anneal.migrate.bulk;

import io.anneal.migrate.bulk.RangeComparison.Believed;
import io.anneal.migrate.bulk.RangeComparison.Suspect;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Reads suspects again, and says of those that are believed what they are; makes them good if it is to. Any thread. */
final class Rereads<E extends BulkEntry> {
    private static final int TURNS_MAX = 5;

    private final BulkRun run;
    private final BulkSource<E> origin;
    private final BulkSource<E> target;
    private final Optional<BulkTarget<E>> repair;
    private final BulkTolerance tolerance;
    private final Optional<Instant> writtenBothSince;
    private final int samplesMax;

    Rereads(
            BulkRun run,
            BulkSource<E> origin,
            BulkSource<E> target,
            Optional<BulkTarget<E>> repair,
            BulkTolerance tolerance,
            Optional<Instant> writtenBothSince,
            int samplesMax) {
        this.run = run;
        this.origin = origin;
        this.target = target;
        this.repair = repair;
        this.tolerance = tolerance;
        this.writtenBothSince = writtenBothSince;
        this.samplesMax = samplesMax;
    }

    /** Reads all suspects of a range once more. If it fails nothing is changed. */
    void readAgain(RangeComparison<E> comparison) throws IOException, InterruptedException {
        List<Suspect<E>> still = new ArrayList<>();
        for (Suspect<E> suspect : comparison.suspects()) {
            read(suspect).ifPresent(still::add);
        }
        comparison.stillSuspects(still);
    }

    /**
     * How it is now; empty if it does not differ. An entry that is written all the time would differ whenever a write comes between
     * the two reads: both sides are read in turn until two neighbours are the same, or neither side changes any more.
     */
    private Optional<Suspect<E>> read(Suspect<E> suspect) throws IOException, InterruptedException {
        E like = suspect.either();
        run.job().pace(1, like.lengthBytes());
        Optional<E> left = origin.reread(like);
        Optional<E> right = target.reread(like);
        for (int i = 1; !same(left, right) && i < TURNS_MAX; i++) {
            Optional<E> leftBefore = left;
            Optional<E> rightBefore = right;
            left = origin.reread(like);
            if (same(left, rightBefore)) {
                return Optional.empty();
            }
            right = target.reread(like);
            if (same(leftBefore, left) && same(rightBefore, right)) {
                break;
            }
        }
        return same(left, right) ? Optional.empty() : Optional.of(new Suspect<>(left.orElse(null), right.orElse(null)));
    }

    private boolean same(Optional<E> left, Optional<E> right) {
        return left.isPresent() && right.isPresent()
                ? left.get().differences(right.get(), tolerance).isEmpty()
                : left.isEmpty() && right.isEmpty();
    }

    /**
     * All suspects of a range are mismatches; answers how many stay so. The phase is asked between reading and making good: what was read before cannot
     * have been written in a later phase, and what is written in one has newer times than a repair, which uses those that were read.
     * So a step that is made meanwhile does no harm.
     */
    long believe(RangeComparison<E> comparison) throws IOException, InterruptedException {
        if (repair.isPresent() && comparison.hasSuspects()) {
            run.requirePhase();
        }
        List<Believed> believed = new ArrayList<>();
        for (Suspect<E> suspect : comparison.suspects()) {
            boolean repaired = repair.isPresent() && repaired(suspect, repair.get());
            believed.add(new Believed(mismatch(suspect), repaired));
        }
        comparison.believed(believed, samplesMax);
        return believed.stream().filter(one -> !one.repaired()).count();
    }

    private BulkMismatch mismatch(Suspect<E> suspect) {
        E left = suspect.origin();
        E right = suspect.target();
        if (left == null) {
            return new BulkMismatch(right.key(), BulkMismatch.Kind.ONLY_TARGET, false, List.of());
        }
        if (right == null) {
            return new BulkMismatch(left.key(), BulkMismatch.Kind.ONLY_ORIGIN, writtenPast(left, right), List.of());
        }
        return new BulkMismatch(
                left.key(), BulkMismatch.Kind.DIFFERENT, writtenPast(left, right), left.differences(right, tolerance));
    }

    private boolean writtenPast(E left, E right) {
        if (writtenBothSince.isEmpty() || left.newestWriteMicros().isEmpty()) {
            return false;
        }
        long written = left.newestWriteMicros().getAsLong();
        boolean later = written > ChronoUnit.MICROS.between(Instant.EPOCH, writtenBothSince.get());
        return later && (right == null || right.newestWriteMicros().orElse(Long.MIN_VALUE) < written);
    }

    private boolean repaired(Suspect<E> suspect, BulkTarget<E> repaired) throws IOException, InterruptedException {
        run.job().pace(1, suspect.either().lengthBytes());
        Optional<E> kept = Optional.ofNullable(suspect.origin());
        if (suspect.origin() != null) {
            await(repaired.write(suspect.origin()), repaired);
        }
        if (suspect.target() != null) {
            await(repaired.remove(suspect.target(), kept), repaired);
        }
        return read(suspect).isEmpty();
    }

    private static void await(CompletionStage<Void> written, BulkTarget<?> to)
            throws IOException, InterruptedException {
        try {
            written.toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw new IOException(
                    "repair failed, target=" + to.identity() + ", reason="
                            + e.getCause().getMessage(),
                    e.getCause());
        }
    }
}
