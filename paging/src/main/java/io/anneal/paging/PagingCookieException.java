package io.anneal.paging;

/**
 * A cookie that nothing can go on with: none, damaged, forged, of another table or query, of an unknown version, or of a query over a column
 * that was dropped or renamed. The text says which.
 */
public final class PagingCookieException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    PagingCookieException(String message) {
        super(message);
    }

    PagingCookieException(String message, Throwable cause) {
        super(message, cause);
    }
}
