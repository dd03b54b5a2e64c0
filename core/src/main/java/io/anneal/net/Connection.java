package io.anneal.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An established connection, the same on both sides: either opens streams and asks requests, many at once. Safe for any
 * thread. Futures complete, and callbacks run, on the executor of this side, never on an event loop.
 */
public interface Connection extends AutoCloseable {
    /** The peer's address and port. */
    InetSocketAddress address();

    /** The identity that the peer states; it has proven that it holds the token or a certificate. */
    NodeIdentity node();

    int wireVersion();

    /** The version of the row encoding that both sides read and write. */
    int encodingVersion();

    /** Whether bytes may be compressed on the way. */
    boolean isCompressed();

    /** Bytes written to the socket so far, frame headers and handshake included. */
    long bytesSent();

    /** Bytes read from the socket so far, frame headers and handshake included. */
    long bytesReceived();

    /**
     * Opens a stream. Returns at once; a failure comes out of the stream's futures, as {@link PeerException} with the code
     * {@code busy} if no memory is left on either side.
     */
    PeerStream open(Verb verb);

    /** As {@link #request(Verb, ByteBuffer, long)}, with the time limit of the configuration. */
    CompletableFuture<ByteBuffer> request(Verb verb, ByteBuffer content);

    /**
     * Sends a message of any length and returns the answer. The future fails with {@link PeerException} if the peer is
     * lost, too slow or answers with an error, and with {@link CorruptFrameException} if bytes were wrong.
     *
     * @param content its remaining bytes are sent without a copy being kept, so they must not change before the future is
     *     done; position and limit stay as they are
     */
    CompletableFuture<ByteBuffer> request(Verb verb, ByteBuffer content, long timeoutMs);

    /** Asks and waits, not longer than the time limit of the configuration. */
    default ByteBuffer call(Verb verb, ByteBuffer content) throws IOException {
        return Waiting.result(request(verb, content));
    }

    /**
     * Runs the callback once when the connection has ended, for whatever reason; at once if it has already. Closing the
     * registration forgets the callback: connections live long.
     */
    Registration onClose(Runnable callback);

    boolean isOpen();

    /** The reason why the connection ended; empty while it is open and after a close in good order. */
    Optional<IOException> closeCause();

    /**
     * Ends in good order: neither side opens streams any more, those that are open come to their end, then the
     * connection closes. The future completes when it is closed.
     */
    CompletableFuture<Void> drain();

    /** Starts closing and returns; open streams fail. A second call does nothing. */
    @Override
    void close();

    /** A callback that can be taken back. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
