package io.anneal.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class FutureFailureTest {
    @Test
    void shouldGiveWhatWasThrownWhenStagesHandItOn() {
        EOFException thrown = new EOFException("cut off");
        AtomicReference<Throwable> handedOn = new AtomicReference<>();

        CompletableFuture.failedFuture(thrown)
                .thenApply(value -> value)
                .thenApply(value -> value)
                .whenComplete((value, failure) -> handedOn.set(failure));

        assertThat(handedOn.get()).isInstanceOf(CompletionException.class);
        assertThat(FutureFailure.cause(handedOn.get())).isSameAs(thrown);
        assertThat(FutureFailure.cause(new ExecutionException(new CompletionException(thrown))))
                .isSameAs(thrown);
        assertThat(FutureFailure.asIOException(handedOn.get())).isSameAs(thrown);
    }

    @Test
    void shouldLeaveWhatNobodyWrapped() {
        IOException thrown = new IOException(new EOFException());
        CompletionException empty = new CompletionException("nothing in it", null);

        assertThat(FutureFailure.cause(thrown)).isSameAs(thrown);
        assertThat(FutureFailure.cause(empty)).isSameAs(empty);
        assertThat(FutureFailure.cause(null)).isNull();
    }

    @Test
    void shouldThrowMistakesAndTellErrors() {
        IllegalStateException mistake = new IllegalStateException("closed");
        OutOfMemoryError error = new OutOfMemoryError("heap");

        assertThatThrownBy(() -> FutureFailure.asIOException(new CompletionException(mistake)))
                .isSameAs(mistake);
        assertThat(FutureFailure.asIOException(new ExecutionException(error)))
                .isExactlyInstanceOf(IOException.class)
                .hasCause(error);
    }
}
