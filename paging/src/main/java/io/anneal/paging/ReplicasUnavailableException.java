package io.anneal.paging;

import java.io.IOException;
import java.util.List;

/** Fewer owners of a part of the ring can be read than the consistency asks for: names them, and why each of them failed. */
public final class ReplicasUnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param failures of owners, the last one the cause; none where too few were given */
    ReplicasUnavailableException(String message, List<? extends IOException> failures) {
        super(message, failures.isEmpty() ? null : failures.get(failures.size() - 1));
        failures.stream().limit(Math.max(0, failures.size() - 1)).forEach(this::addSuppressed);
    }
}
