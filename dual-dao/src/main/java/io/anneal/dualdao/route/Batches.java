package io.anneal.dualdao.route;

import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.stats.BatchSpan;
import io.anneal.dualdao.stats.DualStats;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Measures calls that are made together: a request is as slow as the slowest of its calls. Which batch a call belongs to is
 * told by the thread that it begins on; as long as no batch is open anywhere nobody asks.
 */
final class Batches {
    private final DualStats stats;
    private final LongSupplier nanoTime;
    private final Executor executor;
    private final AtomicInteger open = new AtomicInteger();
    private final ThreadLocal<BatchSpan> current = new ThreadLocal<>();

    /** @param executor for synchronous calls made together, null for the caller's thread */
    Batches(DualStats stats, LongSupplier nanoTime, Executor executor) {
        this.stats = stats;
        this.nanoTime = nanoTime;
        this.executor = executor;
    }

    /** The batch that this thread's calls belong to, null if to none. */
    BatchSpan current() {
        return open.getPlain() == 0 ? null : current.get();
    }

    /** Calls made by this thread within it are of that batch. */
    <T> T measure(String name, Callable<T> calls) throws Exception {
        BatchSpan span = new BatchSpan(stats.batch(name), nanoTime);
        open.incrementAndGet();
        BatchSpan outer = current.get();
        current.set(span);
        try {
            return calls.call();
        } finally {
            current.set(outer);
            open.decrementAndGet();
            span.seal();
        }
    }

    <A, R> List<R> callAll(DualOperation<A, R> operation, Collection<? extends A> arguments) throws Exception {
        return measure(operation.name(), () -> {
            List<CompletableFuture<R>> calls = new ArrayList<>(arguments.size());
            BatchSpan span = current.get();
            for (A argument : arguments) {
                calls.add(begin(operation, argument, span));
            }
            return answers(operation, calls);
        });
    }

    private <A, R> CompletableFuture<R> begin(DualOperation<A, R> operation, A argument, BatchSpan span) {
        CompletableFuture<R> call = new CompletableFuture<>();
        if (executor == null || operation.answersLater()) {
            run(operation, argument, call);
            return call;
        }
        try {
            executor.execute(() -> {
                BatchSpan outer = current.get();
                current.set(span);
                try {
                    run(operation, argument, call);
                } finally {
                    current.set(outer);
                }
            });
        } catch (RejectedExecutionException full) {
            run(operation, argument, call);
        }
        return call;
    }

    private static <A, R> void run(DualOperation<A, R> operation, A argument, CompletableFuture<R> call) {
        try {
            call.complete(operation.callThrowing(argument));
        } catch (Throwable thrown) { // handed on to who waits for the batch
            call.completeExceptionally(thrown);
        }
    }

    private static <A, R> List<R> answers(DualOperation<A, R> operation, List<CompletableFuture<R>> calls)
            throws Exception {
        List<R> answers = new ArrayList<>(calls.size());
        Throwable first = null;
        for (CompletableFuture<R> call : calls) {
            try {
                R answer = Stages.answer(call);
                operation.awaitLater(answer);
                answers.add(answer);
            } catch (Throwable thrown) { // handed on when all are over
                if (first == null) {
                    first = thrown;
                } else if (first != thrown) {
                    first.addSuppressed(thrown);
                }
            }
        }
        if (first != null) {
            throw Stages.<RuntimeException>undeclared(first);
        }
        return answers;
    }
}
