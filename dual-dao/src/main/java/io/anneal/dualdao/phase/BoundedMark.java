package io.anneal.dualdao.phase;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A mark in a store that may hang: whoever asks it waits for a while and takes it for unreadable then, so that a target that
 * hangs keeps no instance from seeing the next phase. One call at a time reaches the mark; while one hangs, others fail at once. Any
 * thread.
 */
public final class BoundedMark implements PhaseMark {
    private final PhaseMark mark;
    private final Duration atMost;
    private final AtomicBoolean busy = new AtomicBoolean();

    public BoundedMark(PhaseMark mark, Duration atMost) {
        this.mark = mark;
        this.atMost = atMost;
    }

    @Override
    public Optional<Seen> read(String name) {
        return bounded(name, () -> mark.read(name));
    }

    @Override
    public void remember(String name, Seen seen) {
        bounded(name, () -> {
            mark.remember(name, seen);
            return seen;
        });
    }

    private <T> T bounded(String name, Supplier<T> call) {
        if (!busy.compareAndSet(false, true)) {
            throw hangs(name, null);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        T value = call.get();
                        busy.set(false);
                        answer.complete(value);
                    } catch (Throwable thrown) { // handed on
                        busy.set(false);
                        answer.completeExceptionally(thrown);
                    }
                },
                "anneal-phase-mark");
        thread.setDaemon(true);
        thread.start();
        // An instance that is interrupted remembers all the same.
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return answer.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException e) {
            throw hangs(name, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            throw new PhaseStoreException("mark failed, name=" + name + ", mark=" + mark, e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private PhaseStoreException hangs(String name, Throwable cause) {
        return new PhaseStoreException(
                "mark does not answer, name=" + name + ", mark=" + mark + ", waited=" + atMost, cause);
    }

    @Override
    public String toString() {
        return mark.toString();
    }
}
