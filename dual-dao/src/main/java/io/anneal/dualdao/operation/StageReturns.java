package io.anneal.dualdao.operation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The JDK's own answers that come later. */
record StageReturns<R extends CompletionStage<?>>(Class<?> type, Function<CompletionStage<?>, R> back)
        implements ReturnAdapter<R> {
    @SuppressWarnings("unchecked")
    static <T> ReturnAdapter<CompletionStage<T>> stage() {
        return new StageReturns<>(CompletionStage.class, stage -> (CompletionStage<T>) stage);
    }

    @SuppressWarnings("unchecked")
    static <T> ReturnAdapter<CompletableFuture<T>> future() {
        return new StageReturns<>(CompletableFuture.class, stage -> (CompletableFuture<T>) stage.toCompletableFuture());
    }

    @Override
    @SuppressWarnings("unchecked")
    public CompletionStage<Object> toStage(R returned) {
        return (CompletionStage<Object>) returned;
    }

    @Override
    public R fromStage(CompletionStage<Object> stage) {
        return back.apply(stage);
    }
}
