package io.anneal.migrate.bulk;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** What entries are copied to. Any thread may call. */
public interface BulkTarget<E extends BulkEntry> extends AutoCloseable {
    /** Names the data and where it lies, in one line. */
    String identity();

    /** As {@link BulkSource#shape()}. */
    String shape();

    /**
     * Writes an entry with the times at which its parts were written, so that each loses against whatever is newer there, a
     * deletion too. Doing it twice is doing it once.
     *
     * @return completes once it is as safe as any write to this store, or exceptionally
     */
    CompletionStage<Void> write(E entry);

    /**
     * Takes away what an entry, as it was read from here, holds: each part at its own write time, so that what was written
     * since stays.
     *
     * @param kept the same entry elsewhere; parts that it has, too, stay
     */
    CompletionStage<Void> remove(E there, Optional<E> kept);

    /** All writes of a range completed; returns once they outlive a loss of power, if that is not so yet. */
    void finish(BulkRange range) throws IOException;

    /**
     * How to take whole ranges from this source without looking at entries, as files that go from store to store; empty if the
     * two know no such way, and entries are copied.
     */
    default Optional<RangeTransfer> wholeRanges(BulkSource<E> source) {
        return Optional.empty();
    }

    @Override
    void close() throws IOException;

    /** Moves a range as a whole. Any thread may call. */
    @FunctionalInterface
    interface RangeTransfer {
        /**
         * What went over.
         *
         * @param entries as far as they were counted
         */
        record Moved(long entries, long bytes) {}

        /** Returns once all of the range is in the target, losing against what is newer there; may be repeated. */
        Moved move(BulkRange range) throws IOException, InterruptedException;
    }
}
