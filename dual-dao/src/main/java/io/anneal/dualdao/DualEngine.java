package io.anneal.dualdao;

import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.DualStats;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Does operations as the phase in force says, and what has to be done beside them. Owns its threads; journal and phases are
 * the caller's. Any thread may call.
 *
 * @param <D> the DAO's interface
 */
final class DualEngine<D> {
    private final Batches batches;
    private final PhaseSource phases;
    private final ScheduledExecutorService scheduler;

    DualEngine(DualConfig<D> config, PhaseSource phases, KeyJournal journal, DualStats stats) {
        this.phases = phases;
        scheduler = config.environment().threads().scheduler();
        batches = new Batches(stats, config.environment().nanoTime(), config.batches());
    }

    /** For what the handle has to do from time to time; shut down by {@link #close}. */
    ScheduledExecutorService scheduler() {
        return scheduler;
    }

    <A, R> DualOperation<A, R> operation(OperationSpec<D, A, R> spec) {
        throw new UnsupportedOperationException();
    }

    /** Measures the calls that this thread makes meanwhile as one. */
    <T> T batch(String name, Callable<T> calls) throws Exception {
        return batches.measure(name, calls);
    }

    /**
     * Copies keys out of the journal, oldest first, to the side that lacks them; in phases 4 and 5 none that the origin
     * lacks. One at a time for each side: if one is under way, that one's.
     *
     * @param limit how many at most
     * @return how many left the journal; never fails
     */
    CompletionStage<Integer> redrive(Side lacking, int limit) {
        throw new UnsupportedOperationException();
    }

    /**
     * Copies all keys that the origin lacks back to it, and compares: in phase 3b with fallback off, when writes reach
     * both sides again.
     *
     * @throws IllegalStateException in any other phase
     */
    CompletionStage<ReverseResult> reverse() {
        throw new UnsupportedOperationException();
    }

    /** Lets what is under way beside calls end, for at most that long, and ends all threads. What is left of it is in the journal. */
    void close(java.time.Duration atMost) {
        scheduler.shutdownNow();
    }
}
