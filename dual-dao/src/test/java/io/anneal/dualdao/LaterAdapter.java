package io.anneal.dualdao;

import io.anneal.dualdao.operation.ReturnAdapter;
import java.util.concurrent.CompletionStage;

/** Stands for another library's kind of future; found by {@link java.util.ServiceLoader}. */
@SuppressWarnings("rawtypes")
public final class LaterAdapter implements ReturnAdapter<LaterAdapter.Later> {
    /** The other library's type. */
    public record Later<T>(CompletionStage<T> inside) {}

    @Override
    public Class<?> type() {
        return Later.class;
    }

    @Override
    @SuppressWarnings("unchecked")
    public CompletionStage<Object> toStage(Later returned) {
        return returned.inside();
    }

    @Override
    @SuppressWarnings("unchecked")
    public Later fromStage(CompletionStage<Object> stage) {
        return new Later(stage);
    }
}
