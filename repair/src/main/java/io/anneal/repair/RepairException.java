package io.anneal.repair;

import java.io.IOException;

/** Why a repair was refused or could not go on; names the replica. */
public final class RepairException extends IOException {
    private static final long serialVersionUID = 1L;

    public RepairException(String message) {
        super(message);
    }

    public RepairException(String message, Throwable cause) {
        super(message, cause);
    }
}
