package io.anneal.dualdao;

/** A {@link KeyRun} may not begin or could not go on. The next one goes on where it stopped, if the dual DAO has a directory. */
public final class KeyRunException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private enum Why {
        FAILED,
        TOO_EARLY,
        REFUSED
    }

    private final Why why;

    KeyRunException(String message, Throwable cause) {
        this(message, cause, Why.FAILED);
    }

    private KeyRunException(String message, Throwable cause, Why why) {
        super(message, cause);
        this.why = why;
    }

    /** For a run that may begin in a moment. */
    static KeyRunException tooEarly(String message) {
        return new KeyRunException(message, null, Why.TOO_EARLY);
    }

    /** For a run that the phase is not one for. */
    static KeyRunException refused(String message) {
        return new KeyRunException(message, null, Why.REFUSED);
    }

    static KeyRunException closed(String name, Throwable cause) {
        return new KeyRunException(
                "the dual DAO was closed, a later run goes on where this one stopped, name=" + name, cause);
    }

    boolean isTooEarly() {
        return why == Why.TOO_EARLY;
    }

    boolean isRefused() {
        return why == Why.REFUSED;
    }
}
