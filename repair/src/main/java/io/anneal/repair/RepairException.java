package io.anneal.repair;

import io.anneal.repair.message.Waiver;
import java.io.IOException;
import java.util.Optional;

/** Why a repair was refused or could not go on; names the replica. */
public final class RepairException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Waiver waiver;

    public RepairException(String message) {
        super(message);
        waiver = null;
    }

    public RepairException(String message, Throwable cause) {
        super(message, cause);
        waiver = null;
    }

    /** @param waiver what would let it go on, if that is meant */
    RepairException(String message, Optional<Waiver> waiver) {
        super(message);
        this.waiver = waiver.orElse(null);
    }

    /** What would let the repair go on, if that is meant. */
    public Optional<Waiver> waiver() {
        return Optional.ofNullable(waiver);
    }
}
