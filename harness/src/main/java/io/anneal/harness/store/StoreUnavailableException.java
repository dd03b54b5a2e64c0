package io.anneal.harness.store;

import java.io.IOException;

/** A store that was named by a URL could not be opened. The message names the URL, the reason, and what to do, on one line. */
public final class StoreUnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message, Throwable cause) {
        super(message.replaceAll("\\R\\s*", " "), cause);
    }
}
