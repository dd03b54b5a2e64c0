package io.anneal.net;

import io.anneal.environment.FutureFailure;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A request that is asked again while a side has no memory for it. */
final class PatientRequest {
    private static final long WAIT_MIN_MS = 100;
    /** Together three seconds: whoever holds the memory has moved on by then, or will not. */
    private static final int TRIES_MAX = 6;

    private final Session session;
    private final Verb verb;
    private final ByteBuffer content;
    private final long timeoutMs;
    private final CompletableFuture<ByteBuffer> result;

    PatientRequest(Session session, Verb verb, ByteBuffer content, long timeoutMs) {
        this.session = session;
        this.verb = verb;
        this.content = content;
        this.timeoutMs = timeoutMs;
        this.result = session.newFuture();
    }

    CompletableFuture<ByteBuffer> start() {
        ask(1);
        return result;
    }

    private void ask(int number) {
        session.request(verb, content, timeoutMs).whenComplete((answer, failed) -> {
            Throwable cause = FutureFailure.cause(failed);
            boolean again = number < TRIES_MAX
                    && cause instanceof PeerException failure
                    && failure.code().equals(PeerException.BUSY)
                    && session.runLater(() -> ask(number + 1), WAIT_MIN_MS << (number - 1));
            if (cause == null) {
                result.complete(answer);
            } else if (!again) {
                result.completeExceptionally(cause);
            }
        });
    }
}
