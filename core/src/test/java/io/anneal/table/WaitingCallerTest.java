package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
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
    void shouldWakeAllThatAreAnswered() throws Exception {
        List<Waiting> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(waiting());
        }
        WaitingCaller.applied(all.stream().map(Waiting::caller).toList());
        for (Waiting one : all) {
            assertThat(failure(one)).isNull();
        }
    }

    @Test
    void shouldWakeTheOthersWhenOneHasGone() throws Exception {
        List<Waiting> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(waiting());
        }
        for (int gone : new int[] {0, 2, 4}) {
            all.get(gone).thread().interrupt();
            assertThat(failure(all.get(gone))).isInstanceOf(InterruptedIOException.class);
        }
        WaitingCaller.applied(all.stream().map(Waiting::caller).toList());
        assertThat(failure(all.get(1))).isNull();
        assertThat(failure(all.get(3))).isNull();
    }

    @Test
    void shouldWakeTheOthersWhenOneIsInterruptedAsItIsAnswered() throws Exception {
        for (int round = 0; round < 200; round++) {
            List<Waiting> all = List.of(waiting(), waiting(), waiting());
            Thread interrupter = new Thread(() -> all.get(1).thread().interrupt());
            interrupter.start();
            WaitingCaller.applied(all.stream().map(Waiting::caller).toList());
            assertThat(failure(all.get(0))).isNull();
            assertThat(failure(all.get(2))).isNull();
            failure(all.get(1));
            interrupter.join();
        }
    }

    @Test
    void shouldThrowWhyAWriteFailed() throws Exception {
        Waiting one = waiting();
        one.caller().failed(new IOException("full"));
        assertThat(failure(one)).hasMessage("full");
    }
}
