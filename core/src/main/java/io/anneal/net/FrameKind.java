package io.anneal.net;

import java.util.Optional;

/** What a frame is for; the code is on the wire and never changes. */
enum FrameKind {
    /** First frame of each side: {@link Hello}. */
    HELLO(1),
    /** Second frame of each side: {@link SharedToken#PROOF_LENGTH_BYTES} bytes, none from a side without a token. */
    PROOF(2),
    /** Opens a stream of the verb in the argument; may carry its first piece. */
    OPEN(3),
    /** A piece of a stream; the first one of a message may say its length in the argument. */
    DATA(4),
    /** Allows as many more bytes of a stream as the argument says. */
    CREDIT(5),
    /** Ends a stream in both directions: {@link Report}. */
    RESET(6),
    /** Asks for a sign of life. */
    PING(7),
    PONG(8),
    /** No more streams shall be opened; those that are open come to their end. */
    DRAIN(9),
    /** The last frame of a side, and why: {@link Report}. */
    GOODBYE(10);

    private static final FrameKind[] BY_CODE = new FrameKind[GOODBYE.code + 1];

    static {
        for (FrameKind kind : values()) {
            BY_CODE[kind.code] = kind;
        }
    }

    private final int code;

    FrameKind(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static Optional<FrameKind> of(int code) {
        return code < BY_CODE.length ? Optional.ofNullable(BY_CODE[code]) : Optional.empty();
    }
}
