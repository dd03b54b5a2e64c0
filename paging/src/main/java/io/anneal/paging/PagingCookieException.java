package io.anneal.paging;

/** A cookie that nothing can go on with: damaged, forged, of another table or query, of an unknown version. The text says which. */
public final class PagingCookieException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    PagingCookieException(String message) {
        super(message);
    }

    PagingCookieException(String message, Throwable cause) {
        super(message, cause);
    }
}
