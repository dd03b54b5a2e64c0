package io.anneal.dualdao.route;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.copy.DecidedCopies;
import io.anneal.dualdao.copy.KeyCopies;
import io.anneal.dualdao.copy.Repairs;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.KeyWait;
import io.anneal.dualdao.order.SerialLanes;
import io.anneal.dualdao.stats.DualStats;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the routes of all operations share.
 *
 * @param ordered whether writes to a key wait for each other
 * @param handOff runs what a caller waits for on a thread of its own
 * @param abandonedReads synchronous reads that still run, and that nobody waits for any more
 * @param backfilled whether the target has what the origin had before phase 2, so that answers can be compared there
 */
record EngineParts<D>(
        DualConfig<D> config,
        DualStats stats,
        Outcomes outcomes,
        WriteTimes times,
        KeyOrder order,
        boolean ordered,
        DirtyKeys dirty,
        KeyCopies<D> copies,
        DecidedCopies<D> decided,
        Transactions<D> transactions,
        Background background,
        SerialLanes lanes,
        Repairs<D> repairs,
        Batches batches,
        ScheduledExecutorService scheduler,
        ExecutorService handOff,
        AtomicInteger abandonedReads,
        Preflight preflight,
        AtomicBoolean backfilled) {
    /** Gives a wait up after the time that the caller chose; to be cancelled when the wait is over. */
    Future<?> limited(KeyWait wait) {
        try {
            long nanos = config.keyWait().toNanos();
            return scheduler.schedule(() -> wait.giveUp(KeyWait.TOO_LONG), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            wait.giveUp("closed");
            return CompletableFuture.completedFuture(null);
        }
    }
}
