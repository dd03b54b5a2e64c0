package io.anneal.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;

/** One established connection as its user sees it: who is at the other end and what was agreed. Safe for any thread. */
public interface PeerContext {
    /** The peer's address and port. */
    InetSocketAddress address();

    /** Who the peer says it is; it has proven that it holds the token. */
    NodeIdentity node();

    int wireVersion();

    /** The version of the row encoding that both sides read and write. */
    int encodingVersion();

    /** True if payloads may be compressed on the way. */
    boolean compressed();

    /** The longest payload that the peer takes. */
    int payloadBytesMax();

    /** Bytes written to the socket so far, frame headers and handshake included. */
    long bytesSent();

    /** Bytes read from the socket so far, frame headers and handshake included. */
    long bytesReceived();

    /**
     * Runs the callback once when the connection is gone, for whatever reason, on the executor of this side; at once
     * if it is gone already.
     */
    void onClose(Runnable callback);

    boolean isOpen();

    /** Why the connection ended; empty while it is open and after a close in good order. */
    Optional<IOException> closeCause();

    /** Starts closing and returns; pending requests fail. A second call does nothing. */
    void close();
}
