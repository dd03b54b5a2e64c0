package io.anneal.streaming;

import io.anneal.node.Waiver;
import java.io.IOException;
import java.util.Optional;

/** Why a target could not fetch what it was to have: its own words, and the code of the peer that failed it. */
public final class StreamException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final Waiver waiver;

    StreamException(String message, String code, Optional<Waiver> waiver) {
        super(message);
        this.code = code;
        this.waiver = waiver.orElse(null);
    }

    /** Of a target in this process. */
    StreamException(String message, Throwable cause) {
        super(message, cause);
        code = "";
        waiver = null;
    }

    /** With which the source was lost to the target, or refused; empty when the fault is the target's own. */
    public Optional<String> peerCode() {
        return Optional.of(code).filter(known -> !known.isEmpty());
    }

    /** What would let it go on, if that is meant. */
    public Optional<Waiver> waiver() {
        return Optional.ofNullable(waiver);
    }
}
