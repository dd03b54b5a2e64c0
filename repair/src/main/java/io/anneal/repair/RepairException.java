package io.anneal.repair;

import io.anneal.node.Waiver;
import java.io.IOException;
import java.util.Optional;

/** Why a repair was refused or could not go on; names the replica. */
public final class RepairException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Waiver waiver;
    private final String peerCode;

    public RepairException(String message) {
        this(message, Optional.empty(), Optional.empty());
    }

    public RepairException(String message, Throwable cause) {
        this(message, cause, Optional.empty());
    }

    /** @param code that the replica would be lost with to a master on another node */
    RepairException(String message, Throwable cause, Optional<String> code) {
        super(message, cause);
        waiver = null;
        peerCode = code.orElse(null);
    }

    /** @param waiver what would let it go on, if that is meant */
    RepairException(String message, Optional<Waiver> waiver) {
        this(message, waiver, Optional.empty());
    }

    /** @param peerCode with which a replica was lost to a master on another node */
    RepairException(String message, Optional<Waiver> waiver, Optional<String> peerCode) {
        super(message);
        this.waiver = waiver.orElse(null);
        this.peerCode = peerCode.orElse(null);
    }

    /** What would let the repair go on, if that is meant. */
    public Optional<Waiver> waiver() {
        return Optional.ofNullable(waiver);
    }

    /** The {@link io.anneal.net.PeerException#code()} with which a replica was lost to the master, on this node or another. */
    public Optional<String> peerCode() {
        return Optional.ofNullable(peerCode);
    }
}
