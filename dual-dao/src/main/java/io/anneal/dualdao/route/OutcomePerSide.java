package io.anneal.dualdao.route;

import io.anneal.dualdao.config.SideOutcome;
import java.util.Optional;

/**
 * Says what became of an operation on each side. It rides as a suppressed exception on the failing side's own exception, which
 * the caller sees as it was thrown; {@link #of} finds it there.
 */
public final class OutcomePerSide extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final SideOutcome origin;
    private final SideOutcome target;

    OutcomePerSide(String operation, SideOutcome origin, SideOutcome target) {
        super(
                "outcome per side, operation=" + operation + ", origin=" + origin + ", target=" + target,
                null,
                false,
                false);
        this.origin = origin;
        this.target = target;
    }

    /**
     * What was attached last: of a DAO that throws one exception again and again, and of a dual DAO within another, that is what
     * is meant. Empty if the exception did not come through a dual DAO, or its class takes no suppressed exceptions.
     */
    public static Optional<OutcomePerSide> of(Throwable thrown) {
        Throwable[] suppressed = thrown.getSuppressed();
        for (int i = suppressed.length - 1; i >= 0; i--) {
            if (suppressed[i] instanceof OutcomePerSide outcome) {
                return Optional.of(outcome);
            }
        }
        return Optional.empty();
    }

    public SideOutcome origin() {
        return origin;
    }

    public SideOutcome target() {
        return target;
    }
}
