package io.anneal.net;

import java.util.Optional;

/** What a frame is for; the code is on the wire and never changes. */
enum FrameKind {
    /** First frame of each side: {@link Hello}. */
    HELLO(1),
    /** Second frame of each side: {@link SharedToken#PROOF_LENGTH_BYTES} bytes, none from a side without a token. */
    PROOF(2),
    REQUEST(3),
    RESPONSE(4),
    /** The answer to a request that failed: {@link Report}. */
    ERROR(5),
    /** Asks for a sign of life. */
    PING(6),
    PONG(7),
    /** The last frame of a side, and why: {@link Report}. */
    GOODBYE(8);

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
