package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargeRowMoveTest {
    @Test
    void shouldNotKeepAnInterruptedCallerWaitingForAnotherRepair() throws Exception {
        LargeRowMove first = new LargeRowMove();
        first.enter();
        try {
            LargeRowMove second = new LargeRowMove();
            CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
            Thread waiting = new Thread(() -> {
                try {
                    assertThatThrownBy(second::enter).isInstanceOf(InterruptedIOException.class);
                    second.leave();
                    interrupted.complete(Thread.currentThread().isInterrupted());
                } catch (Throwable e) {
                    interrupted.completeExceptionally(e);
                }
            });
            waiting.setDaemon(true);
            waiting.start();
            waiting.interrupt();
            assertThat(interrupted.get()).isTrue();
        } finally {
            first.leave();
        }
        // Whoever comes next gets it.
        LargeRowMove next = new LargeRowMove();
        next.enter();
        next.leave();
    }
}
