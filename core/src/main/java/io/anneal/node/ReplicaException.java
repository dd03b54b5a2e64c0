package io.anneal.node;

import java.io.IOException;
import java.util.Optional;

/** Raised when a replica cannot take part in what is asked of it; names the table, the place and the reason. */
public final class ReplicaException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What somebody can do beside what the text says. */
    public enum Remedy {
        NONE,
        /** Give the table's schema text. */
        SCHEMA_TEXT,
        /** Look without what a run staged. */
        NOT_STAGED
    }

    private final Remedy remedy;
    private final Waiver waiver;

    public ReplicaException(String message) {
        this(message, Remedy.NONE);
    }

    public ReplicaException(String message, Remedy remedy) {
        super(message);
        this.remedy = remedy;
        waiver = null;
    }

    /** @param waiver what would let it go on, if that is meant */
    public ReplicaException(String message, Waiver waiver) {
        super(message);
        remedy = Remedy.NONE;
        this.waiver = waiver;
    }

    /** What would let it go on, if that is meant. */
    public Optional<Waiver> waiver() {
        return Optional.ofNullable(waiver);
    }

    public Remedy remedy() {
        return remedy;
    }
}
