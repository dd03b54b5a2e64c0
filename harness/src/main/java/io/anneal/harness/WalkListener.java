package io.anneal.harness;

import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.phase.PhaseRecord;
import java.util.List;

/** Is told how a walk goes, on the walk's thread. */
public interface WalkListener {
    /** Tells nobody. */
    WalkListener NONE = new WalkListener() {};

    /** A phase is in force, and every instance acts by it. */
    default void entered(PhaseRecord entered) {}

    /** A piece of work begins: {@code back-fill}, {@code verification} or {@code reverse back-fill}. */
    default void working(String work) {}

    /** It ended. */
    default void worked(String work, String evidence) {}

    /** The next step waits for these; told again when they change. */
    default void waiting(List<Gate> missing) {}

    /** All gates of the next step were met, and it was made. */
    default void left(PhaseRecord left, Readiness readiness) {}

    /** The walk goes back. */
    default void aborting(PhaseRecord current, String reason) {}
}
