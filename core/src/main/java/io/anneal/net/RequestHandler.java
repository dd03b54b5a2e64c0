package io.anneal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** Answers the requests of one verb. Called on the executor of {@link VerbHandlers}, several at once. */
@FunctionalInterface
public interface RequestHandler {
    /**
     * A failure, thrown or in the stage, travels back to the caller and leaves the connection open; a
     * {@link RequestException} with its code.
     *
     * @param peer    the connection on which the request came
     * @param request a heap buffer that belongs to the handler
     * @return the content of the answer, not changed by the handler afterwards
     */
    CompletionStage<ByteBuffer> handle(Connection peer, ByteBuffer request) throws IOException;
}
