package io.anneal.repair;

import io.anneal.net.Waiting;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.RepairCounts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What one session counts: for its report, and at once for the metrics of its node. Fed by the window or message, not by the
 * row. Owned by the session's thread.
 */
final class RepairMeter {
    private final RepairMetrics metrics;
    private final Optional<Waiting.Check> waits;
    private final long[] numbers = new long[RepairCount.values().length];

    RepairMeter(RepairMetrics metrics) {
        this(metrics, Optional.empty());
    }

    /** @param waits called before each wait for a replica and every half second meanwhile; what it throws ends the wait */
    RepairMeter(RepairMetrics metrics, Optional<Waiting.Check> waits) {
        this.metrics = metrics;
        this.waits = waits;
    }

    void started() {
        metrics.started();
    }

    void ended(boolean well) {
        metrics.ended(well);
    }

    void add(RepairCount count, long number) {
        numbers[count.ordinal()] += number;
        metrics.add(count, number);
    }

    /** @param total all that there was of it in this session */
    void raiseTo(RepairCount count, long total) {
        add(count, total - of(count));
    }

    /** Rows and deletions, and their encoded size. */
    void sent(long items, long lengthBytes) {
        add(RepairCount.ITEMS_SENT, items);
        add(RepairCount.ITEM_BYTES_SENT, lengthBytes);
    }

    /** Rows and deletions, and their encoded size. */
    void received(long items, long lengthBytes) {
        add(RepairCount.ITEMS_RECEIVED, items);
        add(RepairCount.ITEM_BYTES_RECEIVED, lengthBytes);
    }

    long of(RepairCount count) {
        return numbers[count.ordinal()];
    }

    RepairCounts counts() {
        return RepairCounts.of(numbers);
    }

    /** Now, for {@link #addNanosSince}. */
    long nanoTime() {
        return metrics.nanoTime();
    }

    void addNanosSince(RepairCount count, long startNanos) {
        add(count, nanoTime() - startNanos);
    }

    /** Waits for a replica. */
    <T> T await(CompletableFuture<T> answer) throws IOException {
        long startNanos = nanoTime();
        try {
            return result(answer);
        } finally {
            addNanosSince(RepairCount.WAIT_NANOS, startNanos);
        }
    }

    private <T> T result(CompletableFuture<T> answer) throws IOException {
        return waits.isPresent() ? Waiting.result(answer, waits.get()) : Waiting.result(answer);
    }

    /** Waits for all, in order; the first failure is thrown. */
    <T> List<T> awaitAll(List<CompletableFuture<T>> answers) throws IOException {
        long startNanos = nanoTime();
        try {
            List<T> results = new ArrayList<>();
            for (CompletableFuture<T> answer : answers) {
                results.add(result(answer));
            }
            return results;
        } finally {
            addNanosSince(RepairCount.WAIT_NANOS, startNanos);
        }
    }
}
