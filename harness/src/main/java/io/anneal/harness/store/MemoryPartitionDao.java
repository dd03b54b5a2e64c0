package io.anneal.harness.store;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Partitions in memory that can be told to be slow, failing, lossy or hanging. All that happens later happens through the
 * {@link Delayer}, so that a simulation on one thread with one seed repeats itself. Without faults and latency a call is
 * over when it returns. Any thread may call.
 */
public final class MemoryPartitionDao implements PartitionDao, TimedPartitions, ListedPartitions {
    private final String name;
    private final WriteClock clock;
    private final Faults faults;
    private final Delayer delayer;
    private final ConcurrentMap<Long, MemoryPartition> partitions = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * An empty one.
     *
     * @param name of the store; two of one name pass for the same store
     */
    public MemoryPartitionDao(String name, InstantSource clock, Faults faults, Delayer delayer) {
        this.name = name;
        this.clock = new WriteClock(clock);
        this.faults = faults;
        this.delayer = delayer;
    }

    public Faults faults() {
        return faults;
    }

    @Override
    public CompletionStage<Partition> read(long a) {
        return run(a, false, () -> {
            List<Item> items = items(a).stream().map(TimedItem::item).toList();
            return items.isEmpty() ? null : new Partition(a, items);
        });
    }

    @Override
    public CompletionStage<List<TimedItem>> readTimed(long a) {
        return run(a, false, () -> items(a));
    }

    /** The partition by now, past all faults. */
    public List<TimedItem> items(long a) {
        MemoryPartition partition = partitions.get(a);
        if (partition == null) {
            return List.of();
        }
        synchronized (partition) {
            return partition.items(clock.nowSeconds());
        }
    }

    /** The keys of partitions that have items, in order, past all faults. */
    @Override
    public List<Long> keys() {
        return partitions.keySet().stream()
                .filter(a -> !items(a).isEmpty())
                .sorted()
                .toList();
    }

    @Override
    public CompletionStage<Void> write(long a, List<Item> items) {
        List<TimedItem> timed = timed(items, clock.micros());
        return run(a, true, () -> set(a, timed));
    }

    @Override
    public CompletionStage<Void> replace(long a, List<Item> items) {
        long micros = clock.micros();
        List<TimedItem> timed = timed(items, micros);
        return run(a, true, () -> {
            MemoryPartition partition = partition(a);
            synchronized (partition) {
                partition.delete(micros - 1);
                timed.forEach(partition::write);
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Void> writeTimed(long a, List<TimedItem> items) {
        List<TimedItem> copy = List.copyOf(items);
        return run(a, true, () -> set(a, copy));
    }

    private static List<TimedItem> timed(List<Item> items, long micros) {
        return items.stream()
                .map(item -> new TimedItem(item.b(), item.c(), item.d(), micros, TimedItem.NEVER))
                .toList();
    }

    private Void set(long a, List<TimedItem> items) {
        MemoryPartition partition = partition(a);
        synchronized (partition) {
            items.forEach(partition::write);
        }
        return null;
    }

    @Override
    public CompletionStage<Void> delete(long a) {
        long micros = clock.micros();
        return run(a, true, () -> {
            MemoryPartition partition = partition(a);
            synchronized (partition) {
                partition.delete(micros);
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Void> deleteItem(long a, String b, String c) {
        long micros = clock.micros();
        return run(a, true, () -> {
            MemoryPartition partition = partition(a);
            synchronized (partition) {
                partition.deleteItem(b, c, micros);
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Void> deleteTimed(long a, List<TimedItem> seen) {
        List<TimedItem> copy = List.copyOf(seen);
        return run(a, true, () -> {
            MemoryPartition partition = partition(a);
            synchronized (partition) {
                copy.forEach(item -> partition.deleteItem(item.b(), item.c(), item.writeTimeMicros()));
            }
            return null;
        });
    }

    private MemoryPartition partition(long a) {
        return partitions.computeIfAbsent(a, key -> new MemoryPartition());
    }

    private <T> CompletionStage<T> run(long a, boolean writes, Supplier<T> effect) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("store is closed, store=" + identity()));
        }
        Faults.Plan plan = faults.next();
        CompletableFuture<T> answer = new CompletableFuture<>();
        later(plan.beforeNanos(), () -> {
            if (plan.fault() == Faults.Fault.LATE) {
                answer.completeExceptionally(timeout(a));
                later(plan.afterNanos(), effect::get);
                return;
            }
            T result = plan.happens() || plan.fault() == Faults.Fault.LOSE && !writes ? effect.get() : null;
            later(plan.afterNanos(), () -> answer(plan.fault(), a, result, answer));
        });
        return answer;
    }

    private <T> void answer(Faults.Fault fault, long a, T result, CompletableFuture<T> answer) {
        switch (fault) {
            case NONE, LOSE -> answer.complete(result);
            case FAIL ->
                answer.completeExceptionally(
                        new InjectedFailureException("store fails on purpose, store=" + identity() + ", a=" + a));
            case FAIL_AFTER -> answer.completeExceptionally(timeout(a));
            case HANG, LATE -> {
                // The caller hears nothing, or has heard already.
            }
        }
    }

    private InjectedTimeoutException timeout(long a) {
        return new InjectedTimeoutException("store is late on purpose, store=" + identity() + ", a=" + a);
    }

    private void later(long delayNanos, Runnable work) {
        if (delayNanos == 0) {
            work.run();
        } else {
            delayer.after(delayNanos, work);
        }
    }

    @Override
    public String identity() {
        return "memory:" + name;
    }

    /** Refuses calls from now on; what is in it stays. */
    @Override
    public void close() {
        closed = true;
    }
}
