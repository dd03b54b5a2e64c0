package io.anneal.migrate.page;

import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;

/** Nobody can listen on the address that a page was given: it is taken, not of this machine, or not for this user. */
public final class PageAddressException extends IOException {
    private static final long serialVersionUID = 1L;

    PageAddressException(PageConfig config, Exception cause) {
        super(
                "the page can't listen on its address, address=" + PageGuard.inAddress(config.host()) + ":"
                        + config.port() + ", reason=" + reason(cause),
                cause);
    }

    /** The innermost says why; what is around it says who asked. */
    private static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof UnresolvedAddressException) {
            return "no such host";
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
