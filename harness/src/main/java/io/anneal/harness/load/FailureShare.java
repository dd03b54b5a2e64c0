package io.anneal.harness.load;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Whether most calls fail, of reads or of writes, since a store that is gone breaks no promise. What fails for a moment does not
 * count. Owned by one thread.
 */
public final class FailureShare {
    static final Duration WINDOW = Duration.ofSeconds(10);
    /** Of fewer nothing can be said; the window goes on. */
    static final long CALLS_MIN = 10;

    /** How many ended, one way or the other. */
    private record Counts(long succeeded, long failed) {
        Counts since(Counts before) {
            return new Counts(succeeded - before.succeeded, failed - before.failed);
        }

        boolean many() {
            return succeeded + failed >= CALLS_MIN;
        }

        boolean mostFailed() {
            return many() && failed > succeeded;
        }
    }

    private final LoadStats stats;
    private final LongSupplier nanoTime;

    private long fromNanos;
    private Counts reads = new Counts(0, 0);
    private Counts writes = new Counts(0, 0);

    /** Looks from now on. */
    public FailureShare(LoadStats stats, LongSupplier nanoTime) {
        this.stats = stats;
        this.nanoTime = nanoTime;
        fromNanos = nanoTime.getAsLong();
    }

    /** To be asked again and again; says so once in ten seconds if more than half failed in them. */
    public Optional<String> look() {
        if (nanoTime.getAsLong() - fromNanos < WINDOW.toNanos()) {
            return Optional.empty();
        }
        fromNanos = nanoTime.getAsLong();
        Counts nowReads = new Counts(stats.readsSucceeded(), stats.readsFailed());
        Counts nowWrites = new Counts(stats.writesSucceeded(), stats.writesFailed());
        Counts newReads = nowReads.since(reads);
        Counts newWrites = nowWrites.since(writes);
        reads = newReads.many() ? nowReads : reads;
        writes = newWrites.many() ? nowWrites : writes;
        if (!newReads.mostFailed() && !newWrites.mostFailed()) {
            return Optional.empty();
        }
        return Optional.of("most calls failed, reads=" + newReads.failed() + " of "
                + (newReads.failed() + newReads.succeeded()) + ", writes=" + newWrites.failed() + " of "
                + (newWrites.failed() + newWrites.succeeded()));
    }
}
