package io.anneal.harness.load;

import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.route.OutcomePerSide;
import io.anneal.environment.FutureFailure;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.Partition;
import io.anneal.harness.store.PartitionDao;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** Does one step of a load's script through a DAO and logs what came of it. Any thread may call. */
final class LoadCall {
    private final PartitionDao dao;
    private final MultiGet multiGet;
    private final OperationLog log;
    private final LongSupplier time;

    LoadCall(PartitionDao dao, MultiGet multiGet, OperationLog log, LongSupplier time) {
        this.dao = dao;
        this.multiGet = multiGet;
        this.log = log;
        this.time = time;
    }

    /** Ends when the step has, in the log too; with the failure that the DAO gave. */
    CompletionStage<Void> call(LoadScript.Step step) {
        return step.kind() == LoadScript.Kind.READ ? read(step.keys()) : change(step);
    }

    private CompletionStage<Void> read(List<Long> keys) {
        Map<Long, LoggedOperation> logged = new HashMap<>();
        keys.forEach(key -> logged.put(key, log.read(key.toString(), time.getAsLong())));
        CompletionStage<Map<Long, Partition>> answer;
        try {
            answer = keys.size() == 1 ? readOne(keys.get(0)) : multiGet.read(keys);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        return answer.handle((partitions, failure) -> {
            long at = time.getAsLong();
            logged.forEach((key, operation) -> {
                if (failure == null) {
                    operation.answered(observed(partitions.get(key)), at);
                } else {
                    operation.failed(at);
                }
            });
            return rethrown(failure);
        });
    }

    private CompletionStage<Map<Long, Partition>> readOne(long key) {
        return dao.read(key).thenApply(partition -> partition == null ? Map.of() : Map.of(key, partition));
    }

    private CompletionStage<Void> change(LoadScript.Step step) {
        LoggedOperation logged = logged(step);
        CompletionStage<Void> answer;
        try {
            answer = invoke(step);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        return answer.handle((done, failure) -> {
            long at = time.getAsLong();
            if (failure == null) {
                logged.acknowledged(at);
            } else if (surelyNotDone(failure)) {
                logged.failed(at);
            } else {
                logged.unknown(at);
            }
            return rethrown(failure);
        });
    }

    private LoggedOperation logged(LoadScript.Step step) {
        String key = Long.toString(step.key());
        long start = time.getAsLong();
        return switch (step.kind()) {
            case WRITE -> log.write(key, named(step.items()), start);
            case REPLACE -> log.replace(key, named(step.items()), start);
            case DELETE_ITEM -> log.deleteItem(key, name(step.items().get(0)), start);
            case DELETE -> log.delete(key, start);
            case READ -> throw new AssertionError("a read changes nothing");
        };
    }

    private CompletionStage<Void> invoke(LoadScript.Step step) {
        long key = step.key();
        return switch (step.kind()) {
            case WRITE -> dao.write(key, step.items());
            case REPLACE -> dao.replace(key, step.items());
            case DELETE_ITEM ->
                dao.deleteItem(key, step.items().get(0).b(), step.items().get(0).c());
            case DELETE -> dao.delete(key);
            case READ -> throw new AssertionError("a read changes nothing");
        };
    }

    static Map<String, String> observed(Partition partition) {
        return partition == null ? Map.of() : named(partition.items());
    }

    private static Map<String, String> named(List<Item> items) {
        Map<String, String> named = new HashMap<>();
        items.forEach(item -> named.put(name(item), item.d()));
        return named;
    }

    private static String name(Item item) {
        return item.b() + "/" + item.c();
    }

    private static Void rethrown(Throwable failure) {
        if (failure != null) {
            throw failure instanceof CompletionException completion ? completion : new CompletionException(failure);
        }
        return null;
    }

    /** Only a dual DAO says of a failure that nothing happened on either side. */
    private static boolean surelyNotDone(Throwable failure) {
        return OutcomePerSide.of(FutureFailure.cause(failure))
                .filter(outcome -> nothing(outcome.origin()) && nothing(outcome.target()))
                .isPresent();
    }

    private static boolean nothing(SideOutcome outcome) {
        return outcome == SideOutcome.FAILED || outcome == SideOutcome.NOT_ATTEMPTED;
    }
}
