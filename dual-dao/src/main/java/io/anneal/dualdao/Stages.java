package io.anneal.dualdao;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** Waiting for answers that come later, without changing what was thrown. */
final class Stages {
    private Stages() {}

    /** What was thrown in the first place, of what a stage hands on. */
    static Throwable thrown(Throwable handedOn) {
        Throwable thrown = handedOn;
        while ((thrown instanceof CompletionException || thrown instanceof ExecutionException)
                && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        return thrown;
    }

    /**
     * The answer, waited for even if this thread is interrupted, which it then still is: a caller's interface need not
     * declare {@link InterruptedException}.
     */
    static Object answer(CompletableFuture<Object> future) throws Throwable {
        try {
            return future.join();
        } catch (CompletionException handedOn) {
            throw thrown(handedOn);
        }
    }

    /** What became of it, waited for at most that long; empty if it is not over by then. Interrupts as in {@link #answer}. */
    static Optional<Reply.Outcome> await(CompletableFuture<Object> future, long nanos, LongSupplier now) {
        boolean interrupted = false;
        long begin = now.getAsLong();
        try {
            while (true) {
                try {
                    long left = nanos - (now.getAsLong() - begin);
                    return Optional.of(new Reply.Outcome(future.get(left, TimeUnit.NANOSECONDS), null));
                } catch (ExecutionException handedOn) {
                    return Optional.of(new Reply.Outcome(null, thrown(handedOn)));
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
    static <T> CompletionStage<T> failed(Throwable thrown) {
        return CompletableFuture.failedFuture(thrown);
    }

    /** Throws anything, declared or not. */
    @SuppressWarnings("unchecked")
    static <T extends Throwable> RuntimeException undeclared(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
