package io.anneal.migrate.load;

import io.anneal.migrate.store.PartitionDao;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What is done with every key of a load before it begins and after it ended, some at once. Owned by one thread. */
public final class LoadPasses {
    private static final int AT_ONCE = 128;

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

    /** Writes every key. */
    public void fill(String valuePrefix) {
        LoadScript script = new LoadScript(config, valuePrefix);
        LoadCall call = new LoadCall(dao, null, log, time);
        all(rank -> call.call(script.first(rank)));
    }

    /** Reads every key and logs what it holds at last. Nothing else may be under way. */
    public void readAtLast() {
        all(rank -> {
            long key = config.firstKey() + rank;
            long at = time.getAsLong();
            return dao.read(key)
                    .thenAccept(partition -> log.holdsAtLast(Long.toString(key), LoadCall.observed(partition), at));
        });
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
