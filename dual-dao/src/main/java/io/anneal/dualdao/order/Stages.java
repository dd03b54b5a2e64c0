package io.anneal.dualdao.order;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** Waiting for answers that come later, without changing what was thrown. */
public final class Stages {
    private Stages() {}

    /** What a stage failed with, of what one that came from it hands on, in one exception of its own. */
    public static Throwable thrown(Throwable handedOn) {
        return handedOn instanceof CompletionException && handedOn.getCause() != null ? handedOn.getCause() : handedOn;
    }

    /**
     * The answer, or else what the future was completed with; waited for even if this thread is interrupted, which it then
     * still is: a caller's interface need not declare {@link InterruptedException}.
     */
    public static <T> T answer(CompletableFuture<T> future) throws Throwable {
        // A future tells its own stages what it was completed with, but wraps it for who waits.
        Settled<T> settled = future.handle(Settled<T>::new).join();
        if (settled.thrown() != null) {
            throw settled.thrown();
        }
        return settled.answer();
    }

    private record Settled<T>(T answer, Throwable thrown) {}

    /**
     * What became of a call, waited for at most that long; empty if it is not over by then. Interrupts as in {@link #answer}.
     *
     * @param future never fails
     */
    public static <T> Optional<T> await(CompletableFuture<T> future, long nanos, LongSupplier now) {
        boolean interrupted = false;
        long begin = now.getAsLong();
        try {
            while (true) {
                try {
                    long left = nanos - (now.getAsLong() - begin);
                    return Optional.of(future.get(left, TimeUnit.NANOSECONDS));
                } catch (ExecutionException failed) {
                    throw new AssertionError("outcomes don't fail", failed);
                } catch (TimeoutException late) {
                    return Optional.empty();
                } catch (InterruptedException again) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A stage that was over before it was made. */
    public static <T> CompletionStage<T> failed(Throwable thrown) {
        return CompletableFuture.failedFuture(thrown);
    }

    /** Throws anything, declared or not. */
    @SuppressWarnings("unchecked")
    public static <T extends Throwable> RuntimeException undeclared(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
