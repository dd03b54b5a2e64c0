package io.anneal.store.directory;

import java.io.IOException;

/** A directory in which more than one table could be meant. Names all of them. */
public final class AmbiguousTableException extends IOException {
    private static final long serialVersionUID = 1L;

    AmbiguousTableException(String message) {
        super(message);
    }
}
