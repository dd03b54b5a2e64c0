package io.anneal.harness.store;

import io.anneal.dualdao.config.KeyCopy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Copies partitions between two {@link PartitionDao}s. If both are {@link TimedPartitions}, with the times of the writes: a copy
 * then loses against every newer write, and what the other side has too much is deleted at the very time at which it
 * was written there, so that nothing newer goes with it. Else the partition is replaced or deleted as it is.
 */
public final class PartitionCopy implements KeyCopy<PartitionDao, Long> {
    private final Guarantee guarantee;

    private PartitionCopy(Guarantee guarantee) {
        this.guarantee = guarantee;
    }

    /** For two sides. */
    public static PartitionCopy between(PartitionDao origin, PartitionDao target) {
        boolean timed = origin instanceof TimedPartitions && target instanceof TimedPartitions;
        return new PartitionCopy(timed ? Guarantee.SOURCE_TIMESTAMPS : Guarantee.NONE);
    }

    @Override
    public Guarantee guarantee() {
        return guarantee;
    }

    @Override
    public CompletionStage<Void> copy(Long key, PartitionDao from, PartitionDao to, long takenAwayBeforeMicros) {
        if (from instanceof TimedPartitions timedFrom && to instanceof TimedPartitions timedTo) {
            // The side copied to is read first. Writes reach the side that is right before the other one, so that what
            // a
            // write under way has brought to the other by now is in the right one when that is read.
            return timedTo.readTimed(key)
                    .thenCompose(there -> timedFrom
                            .readTimed(key)
                            .thenCompose(held -> changes(key, held, there, timedTo, takenAwayBeforeMicros)));
        }
        return from.read(key).thenCompose(held -> held == null ? to.delete(key) : to.replace(key, held.items()));
    }

    private static CompletionStage<Void> changes(
            long key, List<TimedItem> held, List<TimedItem> there, TimedPartitions to, long takenAwayBeforeMicros) {
        Map<List<String>, TimedItem> tooMuch = new HashMap<>();
        there.forEach(item -> tooMuch.put(List.of(item.b(), item.c()), item));
        List<TimedItem> lacking = new ArrayList<>();
        for (TimedItem item : held) {
            TimedItem other = tooMuch.remove(List.of(item.b(), item.c()));
            if (!sameWrite(item, other)) {
                lacking.add(item);
            }
        }
        tooMuch.values().removeIf(item -> item.writeTimeMicros() >= takenAwayBeforeMicros);
        CompletionStage<Void> written = lacking.isEmpty() ? nothing() : to.writeTimed(key, lacking);
        return written.thenCompose(
                done -> tooMuch.isEmpty() ? nothing() : to.deleteTimed(key, List.copyOf(tooMuch.values())));
    }

    /** Expiries are not looked at: stores tell them by time left, in whole seconds. */
    private static boolean sameWrite(TimedItem item, TimedItem other) {
        return other != null
                && item.d().equals(other.d())
                && item.writeTimeMicros() == other.writeTimeMicros()
                && (item.expiresAtSeconds() == TimedItem.NEVER) == (other.expiresAtSeconds() == TimedItem.NEVER);
    }

    private static CompletionStage<Void> nothing() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> read(Long key, PartitionDao dao) {
        return dao.read(key);
    }
}
