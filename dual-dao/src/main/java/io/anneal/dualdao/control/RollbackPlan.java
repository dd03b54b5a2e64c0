package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Phase;
import java.util.Optional;

/**
 * What a roll-back would do now.
 *
 * @param from the phase in force
 * @param to where it leads; empty in phase 1
 * @param refusal why it is refused now; empty if it is not
 * @param keysToCopy that a reverse back-fill has to copy to the origin, as far as instances said
 * @param whatIsLost in words for people: what the origin lacks if it had to answer alone now
 */
public record RollbackPlan(
        Phase from, Optional<Phase> to, Optional<String> refusal, long keysToCopy, String whatIsLost) {}
