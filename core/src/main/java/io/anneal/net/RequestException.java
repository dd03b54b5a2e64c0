package io.anneal.net;

import java.io.IOException;

/**
 * What a {@link RequestHandler} fails with when the caller shall see a code of its own; the code and the text travel
 * back and are raised there as a {@link PeerException}.
 */
public final class RequestException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String code;

    /** @param code of a-z, 0-9 and hyphens, 64 at most
     * @throws IllegalArgumentException for another code */
    public RequestException(String code, String message) {
        super(message);
        this.code = Codes.check(code);
    }

    public String code() {
        return code;
    }
}
