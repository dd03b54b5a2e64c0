package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class WaitingCallerTest {
    private record Waiting(Thread thread, WaitingCaller caller, CompletableFuture<Void> answered) {}

    private static Waiting waiting() throws Exception {
        CompletableFuture<WaitingCaller> made = new CompletableFuture<>();
        CompletableFuture<Void> answered = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            WaitingCaller caller = new WaitingCaller();
            made.complete(caller);
            try {
                caller.await();
                answered.complete(null);
            } catch (IOException e) {
                answered.completeExceptionally(e);
            }
        });
        thread.start();
        return new Waiting(thread, made.get(60, TimeUnit.SECONDS), answered);
    }

    private static Throwable failure(Waiting waiting) throws Exception {
        return waiting.answered().handle((done, failure) -> failure).get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldReturnWhenTheWriteIsApplied() throws Exception {
        Waiting one = waiting();
        one.caller().applied();
        assertThat(failure(one)).isNull();
    }

    @Test
    void shouldLetItsThreadGoWhenInterrupted() throws Exception {
        Waiting one = waiting();
        one.thread().interrupt();
        assertThat(failure(one)).isInstanceOf(InterruptedIOException.class);
        one.caller().applied();
    }

    @Test
    void shouldThrowWhyAWriteFailed() throws Exception {
        Waiting one = waiting();
        one.caller().failed(new IOException("full"));
        assertThat(failure(one)).hasMessage("full");
    }
}
