package io.anneal.dualdao;

/** A {@link KeyRun} may not begin or could not go on. The next one goes on where it stopped, if the dual DAO has a directory. */
public final class KeyRunException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean tooEarly;

    KeyRunException(String message, Throwable cause) {
        this(message, cause, false);
    }

    private KeyRunException(String message, Throwable cause, boolean tooEarly) {
        super(message, cause);
        this.tooEarly = tooEarly;
    }

    /** For a run that may begin in a moment. */
    static KeyRunException tooEarly(String message) {
        return new KeyRunException(message, null, true);
    }

    boolean isTooEarly() {
        return tooEarly;
    }
}
