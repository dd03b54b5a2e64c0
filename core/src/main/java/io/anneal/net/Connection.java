package io.anneal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** The calling side of an established connection. Safe for any thread; many requests may be in flight. */
public interface Connection extends PeerContext, AutoCloseable {
    /**
     * Sends a request. The future fails with {@link PeerException} if the peer is lost, too slow or answers with an
     * error, with {@link CorruptFrameException} if bytes were wrong, and with {@link IllegalArgumentException} if the
     * payload is longer than the peer takes. It completes on the executor of the client, never on an event loop.
     *
     * @param payload its remaining bytes are sent without a copy being kept, so they must not change before the
     *                future is done; position and limit stay as they are
     */
    CompletableFuture<Response> request(Verb verb, ByteBuffer payload);

    /** As {@link #request(Verb, ByteBuffer)}, with a time limit of its own for this one request. */
    CompletableFuture<Response> request(Verb verb, ByteBuffer payload, long timeoutMs);

    /** Sends a request and waits, not longer than the request's time limit. */
    default Response call(Verb verb, ByteBuffer payload) throws IOException {
        return Waiting.result(request(verb, payload));
    }

    @Override
    void close();
}
