package io.anneal.dualdao.copy;

import io.anneal.dualdao.order.Stages;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds how long others wait for a key that is copied or compared. What hangs is not taken from its key: a copy that ends late must not
 * meet a newer write. Only the keys after it go on. Any thread may call.
 */
public final class KeyDeadline {
    private static final Logger LOG = LoggerFactory.getLogger(KeyDeadline.class);

    /** Longer than a copy of many rows takes, and short enough for somebody to see what hangs. */
    private static final Duration AT_MOST = Duration.ofSeconds(30);

    private final ScheduledExecutorService scheduler;
    private final boolean redacts;
    private final Set<CompletableFuture<?>> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param redacts whether keys are left out of the log */
    public KeyDeadline(ScheduledExecutorService scheduler, boolean redacts) {
        this.scheduler = scheduler;
        this.redacts = redacts;
    }

    /**
     * Begins work, which may block.
     *
     * @param then told once how it ended, on whatever thread: with a {@link TimeoutException} if it is not over in time, with an {@link
     *     IllegalStateException} if this was closed
     */
    <T> void begin(String key, Supplier<? extends CompletionStage<T>> work, BiConsumer<T, Throwable> then) {
        CompletableFuture<T> waited = new CompletableFuture<>();
        waiting.add(waited);
        Future<?> timer = timer(key, waited);
        waited.whenComplete((answer, thrown) -> {
            waiting.remove(waited);
            timer.cancel(false);
            then.accept(answer, thrown);
        });
        if (closed) {
            waited.completeExceptionally(closed());
            return;
        }
        try {
            work.get().whenComplete((answer, thrown) -> {
                if (thrown == null) {
                    waited.complete(answer);
                } else {
                    waited.completeExceptionally(Stages.thrown(thrown));
                }
            });
        } catch (Throwable thrown) { // the caller's code
            waited.completeExceptionally(thrown);
        }
    }

    private Future<?> timer(String key, CompletableFuture<?> waited) {
        try {
            return scheduler.schedule(() -> late(key, waited), AT_MOST.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ending) {
            return CompletableFuture.completedFuture(null);
        }
    }

    private void late(String key, CompletableFuture<?> waited) {
        boolean hangs = waited.completeExceptionally(
                new TimeoutException("a key is not copied or compared in time, waited=" + AT_MOST.toSeconds() + "s"));
        if (hangs) {
            LOG.warn(
                    "a key is not copied or compared in time, it stays held, and others go on, key={}, waited={}",
                    redacts ? "(redacted)" : key,
                    AT_MOST);
        }
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("the dual DAO was closed");
    }

    /** Lets nobody wait any more. */
    public void close() {
        closed = true;
        waiting.forEach(waited -> waited.completeExceptionally(closed()));
    }
}
