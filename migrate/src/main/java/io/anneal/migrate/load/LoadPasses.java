package io.anneal.migrate.load;

import io.anneal.migrate.store.PartitionDao;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What is done with every key of a load before it begins and after it ended, some at once. Owned by one thread. */
public final class LoadPasses {
    private static final int AT_ONCE = 128;
    private static final int READ_ATTEMPTS = 5;

    private final LoadConfig config;
    private final PartitionDao dao;
    private final OperationLog log;
    private final LongSupplier time;
    private final Executor callers;

    public LoadPasses(LoadConfig config, PartitionDao dao, OperationLog log, LongSupplier time, Executor callers) {
        this.config = config;
        this.dao = dao;
        this.log = log;
        this.time = time;
        this.callers = callers;
    }

    /** Writes every key, or tries to: what came of it is in the log. */
    public void fill(String valuePrefix) {
        LoadScript script = new LoadScript(config, valuePrefix);
        LoadCall call = new LoadCall(dao, null, log, time);
        all(rank -> call.call(script.first(rank)).exceptionally(logged -> null));
    }

    /**
     * Reads every key and logs what it holds at last; nothing else may be under way.
     *
     * @return how many keys could not be read, however often it was tried
     */
    public int readAtLast() {
        AtomicInteger unread = new AtomicInteger();
        all(rank -> readAtLast(config.firstKey() + rank, READ_ATTEMPTS).exceptionally(failure -> {
            unread.incrementAndGet();
            return null;
        }));
        return unread.get();
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

    private void all(Function<Integer, CompletionStage<Void>> work) {
        List<CompletableFuture<Void>> underWay = new ArrayList<>();
        for (int rank = 0; rank < config.keys(); rank++) {
            int each = rank;
            CompletableFuture<Void> done = new CompletableFuture<>();
            underWay.add(done);
            callers.execute(() -> start(() -> work.apply(each), done));
            if (underWay.size() == AT_ONCE || rank == config.keys() - 1) {
                CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new))
                        .join();
                underWay.clear();
            }
        }
    }

    private static void start(Supplier<CompletionStage<Void>> work, CompletableFuture<Void> done) {
        CompletionStage<Void> stage;
        try {
            stage = work.get();
        } catch (RuntimeException e) {
            stage = CompletableFuture.failedFuture(e);
        }
        stage.whenComplete((nothing, failure) -> {
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            }
        });
    }
}
