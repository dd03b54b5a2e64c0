package io.anneal.dualdao.control;

import java.util.stream.Collectors;

/** A step was refused, since a gate is not met. */
public final class GateException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Readiness readiness;

    public GateException(Readiness readiness) {
        super("gates are not met, step=" + readiness.step() + ", missing="
                + readiness.missing().stream()
                        .map(gate -> gate.name() + " (" + gate.evidence() + ")")
                        .collect(Collectors.joining("; ")));
        this.readiness = readiness;
    }

    /** All gates of the step, null after serialization. */
    public Readiness readiness() {
        return readiness;
    }
}
