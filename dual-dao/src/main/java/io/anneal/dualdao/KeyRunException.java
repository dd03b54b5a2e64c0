package io.anneal.dualdao;

/** A {@link KeyRun} may not begin or could not go on. The next one goes on where it stopped, if the dual DAO has a directory. */
public final class KeyRunException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KeyRunException(String message, Throwable cause) {
        super(message, cause);
    }
}
