package io.anneal.net;

import java.io.IOException;

/** Serves the streams of one verb that peers open. Called on the executor of {@link VerbHandlers}, several at once. */
@FunctionalInterface
public interface StreamHandler {
    /** Starts to serve; a failure resets the stream with its code and text. */
    void opened(PeerStream stream) throws IOException;
}
