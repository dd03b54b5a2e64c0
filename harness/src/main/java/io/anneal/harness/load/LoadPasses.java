package io.anneal.harness.load;

import io.anneal.harness.store.PartitionDao;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What is done with every key of a load before it begins and after it ended, some at once. Calls that are never answered hold up
 * none but themselves; when nothing is answered any more the pass ends. Owned by one thread.
 */
public final class LoadPasses {
    /** How many calls a pass has under way. */
    public static final int AT_ONCE = 128;

    private static final int READ_ATTEMPTS = 5;

    private final LoadConfig config;
    private final PartitionDao dao;
    private final OperationLog log;
    private final LongSupplier time;
    private final Executor callers;
    private final Duration patience;

    /** @param patience how long to wait for the next answer, whichever comes */
    public LoadPasses(
            LoadConfig config,
            PartitionDao dao,
            OperationLog log,
            LongSupplier time,
            Executor callers,
            Duration patience) {
        this.config = config;
        this.dao = dao;
        this.log = log;
        this.time = time;
        this.callers = callers;
        this.patience = patience;
    }

    /** Writes every key, or tries to: what came of it is in the log. */
    public void fill(String valuePrefix) throws InterruptedException {
        LoadScript script = new LoadScript(config, valuePrefix);
        LoadCall call = new LoadCall(dao, null, log, time);
        all(rank -> call.call(script.first(rank)).exceptionally(logged -> null));
    }

    /**
     * Reads every key and logs what it holds at last; nothing else may be under way.
     *
     * @return how many keys could not be read, however often it was tried
     */
    public int readAtLast() throws InterruptedException {
        return config.keys() - all(rank -> readAtLast(config.firstKey() + rank, READ_ATTEMPTS));
    }

    private CompletionStage<Void> readAtLast(long key, int attempts) {
        long at = time.getAsLong();
        CompletionStage<Void> read = dao.read(key)
                .thenAccept(partition -> log.holdsAtLast(Long.toString(key), LoadCall.observed(partition), at));
        return attempts == 1
                ? read
                : read.handle((done, failure) -> failure == null ? read : readAtLast(key, attempts - 1))
                        .thenCompose(Function.identity());
    }

    /** @return for how many keys it was done */
    private int all(Function<Integer, CompletionStage<Void>> work) throws InterruptedException {
        AtomicInteger succeeded = new AtomicInteger();
        Semaphore room = new Semaphore(AT_ONCE);
        // Once all have begun, what gets room are the answers of the last ones.
        for (int begun = 0; begun < config.keys() + AT_ONCE; begun++) {
            if (!room.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                break;
            }
            if (begun < config.keys()) {
                int rank = begun;
                callers.execute(() -> start(() -> work.apply(rank)).whenComplete((done, failure) -> {
                    if (failure == null) {
                        succeeded.incrementAndGet();
                    }
                    room.release();
                }));
            }
        }
        return succeeded.get();
    }

    private static CompletionStage<Void> start(Supplier<CompletionStage<Void>> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
