package io.anneal.net;

import java.io.IOException;

/**
 * Raised when a peer cannot be reached, is lost, is too slow, refuses, or answers a request with an error. Names the
 * peer, the step at which it happened, and a stable code.
 */
public final class PeerException extends IOException {
    /** No connection: refused by the machine, timed out, or the name does not resolve. */
    public static final String CONNECT_FAILED = "connect-failed";
    /** What answers there is not an Anneal node. */
    public static final String NOT_ANNEAL = "not-anneal";
    /** The handshake was not finished in time. */
    public static final String HANDSHAKE_TIMEOUT = "handshake-timeout";
    /** The shared token is missing on one side. */
    public static final String TOKEN_MISSING = "token-missing";
    /** The two sides do not hold the same token. */
    public static final String TOKEN_WRONG = "token-wrong";
    /** TLS was refused, by this side or by the peer: mostly for a certificate. */
    public static final String TLS_REFUSED = "tls-refused";
    /** The server takes TLS only, and the client came without. */
    public static final String TLS_EXPECTED = "tls-expected";
    /** The client came with TLS, and the server has none. */
    public static final String NOT_TLS = "not-tls";
    /** The peer's certificate names neither its host nor its node id. */
    public static final String TLS_NAME = "tls-name";
    /** The address needs TLS, and this side has no certificates. */
    public static final String TLS_MISSING = "tls-missing";
    /** This side's certificate, key or authorities cannot be used. */
    public static final String TLS_FILES = "tls-files";
    /** The server has as many connections as it allows. */
    public static final String TOO_MANY_CONNECTIONS = "too-many-connections";
    /** More streams are open on the connection than agreed. */
    public static final String TOO_MANY_STREAMS = "too-many-streams";
    /** No memory is left for another stream or message now, on one of the sides; try again later. */
    public static final String BUSY = "busy";
    /** Nothing moved on a stream for too long. */
    public static final String STREAM_IDLE = "stream-idle";
    /** No response in time; whether the request was carried out is not known. */
    public static final String REQUEST_TIMEOUT = "request-timeout";
    /** The peer is gone: closed, reset, or silent for too long. */
    public static final String PEER_LOST = "peer-lost";
    /** The connection was closed in good order, by either side. */
    public static final String CLOSED = "closed";
    /** What connects on this side was closed itself: it will never connect again. */
    public static final String CLOSED_HERE = "closed-here";
    /** The peer stopped reading what is sent to it. */
    public static final String WRITE_TIMEOUT = "write-timeout";
    /** The peer has no handler for the verb. */
    public static final String UNKNOWN_VERB = "unknown-verb";
    /** A message is longer than its receiver takes. */
    public static final String MESSAGE_TOO_LARGE = "message-too-large";
    /** A message is no message of its verb, or not as long as it says. */
    public static final String MALFORMED = "malformed";
    /** The peer's executor took no more work. */
    public static final String OVERLOADED = "overloaded";
    /** A handler failed without a code of its own. */
    public static final String INTERNAL = "internal";

    private static final long serialVersionUID = 1L;

    private final String peer;
    private final String step;
    private final String code;
    private final String reason;

    /**
     * @param peer   address of the other side
     * @param step   what was being done, for example {@code handshake} or {@code request repair.open}
     * @param code   stable, for programs and for docs/errors.md
     * @param reason constant text, followed by facts as {@code name=value}
     */
    public PeerException(String peer, String step, String code, String reason) {
        this(peer, step, code, reason, null);
    }

    public PeerException(String peer, String step, String code, String reason, Throwable cause) {
        super(reason + ", peer=" + peer + ", step=" + step + ", code=" + code, cause);
        this.peer = peer;
        this.step = step;
        this.code = code;
        this.reason = reason;
    }

    public String peer() {
        return peer;
    }

    public String step() {
        return step;
    }

    public String code() {
        return code;
    }

    public String reason() {
        return reason;
    }

    /** Whether the peer may be there again, or have time, when somebody comes again. */
    public boolean mayPass() {
        return mayPass(code);
    }

    /** The same of a code. */
    public static boolean mayPass(String code) {
        return switch (code) {
            case BUSY,
                    OVERLOADED,
                    TOO_MANY_CONNECTIONS,
                    TOO_MANY_STREAMS,
                    HANDSHAKE_TIMEOUT,
                    STREAM_IDLE,
                    REQUEST_TIMEOUT,
                    WRITE_TIMEOUT,
                    PEER_LOST,
                    CLOSED -> true;
            default -> false;
        };
    }

    /** True if it stays so until somebody changes what one of the sides was given. */
    boolean isLasting() {
        return switch (code) {
            case NOT_ANNEAL,
                    TOKEN_MISSING,
                    TOKEN_WRONG,
                    TLS_REFUSED,
                    TLS_EXPECTED,
                    NOT_TLS,
                    TLS_NAME,
                    TLS_MISSING,
                    TLS_FILES,
                    CLOSED_HERE -> true;
            default -> false;
        };
    }

    /** True if one of the two sides has refused the other for who it is. */
    boolean isRefusal() {
        return isLasting() && !code.equals(CLOSED_HERE) && !code.equals(NOT_ANNEAL);
    }

    /** True if the peer speaks our protocol and is worth a word before the connection closes. */
    boolean tellsPeer() {
        return switch (code) {
            case TOKEN_MISSING, TOKEN_WRONG, TLS_EXPECTED, NOT_TLS, TLS_NAME, TOO_MANY_CONNECTIONS, CLOSED, INTERNAL ->
                true;
            default -> false;
        };
    }
}
