package io.anneal.dualdao.operation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Makes a kind of answer that comes later a {@link CompletionStage} and back. Implementations for other libraries' types are found by
 * {@link java.util.ServiceLoader}, or given to the builder.
 *
 * @param <R> the type that methods return
 */
public interface ReturnAdapter<R> {
    /** The type it is for. */
    Class<?> type();

    CompletionStage<Object> toStage(R returned);

    R fromStage(CompletionStage<Object> stage);

    /** For methods that return a {@link CompletionStage}. */
    static <T> ReturnAdapter<CompletionStage<T>> stage() {
        return StageReturns.stage();
    }

    /** For methods that return a {@link CompletableFuture}. */
    static <T> ReturnAdapter<CompletableFuture<T>> future() {
        return StageReturns.future();
    }
}
