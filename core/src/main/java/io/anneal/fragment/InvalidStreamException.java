package io.anneal.fragment;

/** A cursor broke its contract: the facts say what came where. A programmer's error, or data a reader should have refused. */
public final class InvalidStreamException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    InvalidStreamException(String reason, String facts) {
        super("fragment stream is invalid, reason=" + reason + (facts.isEmpty() ? "" : ", " + facts));
    }

    InvalidStreamException(String reason, String facts, RuntimeException cause) {
        super("fragment stream is invalid, reason=" + reason + ", " + facts + ", cause=" + cause.getMessage(), cause);
    }
}
