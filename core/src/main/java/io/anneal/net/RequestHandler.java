package io.anneal.net;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** Answers the requests of one verb. Called on the executor of {@link RequestHandlers}, several at once. */
@FunctionalInterface
public interface RequestHandler {
    /**
     * A failure, thrown or in the stage, travels back to the caller and leaves the connection open.
     *
     * @param peer    who asks
     * @param request a heap buffer that belongs to the handler
     * @return the payload of the response, not changed by the handler afterwards
     */
    CompletionStage<ByteBuffer> handle(PeerContext peer, ByteBuffer request);
}
