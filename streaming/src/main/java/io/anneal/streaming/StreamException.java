package io.anneal.streaming;

import java.io.IOException;
import java.util.Optional;

/** A target on another node could not fetch what it was to have: its own words, and the code of the peer that failed it. */
public final class StreamException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String code;

    StreamException(String message, String code) {
        super(message);
        this.code = code;
    }

    /** With which the source was lost to the target, or refused; empty when the fault is the target's own. */
    public Optional<String> peerCode() {
        return Optional.of(code).filter(known -> !known.isEmpty());
    }
}
