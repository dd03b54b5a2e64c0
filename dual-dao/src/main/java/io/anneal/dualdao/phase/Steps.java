package io.anneal.dualdao.phase;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which step comes next, forward and back, and what it asks for. The table of all steps; {@link Gates} looks at the evidence. */
final class Steps {
    private static final Set<String> NEVER_PARTIAL = Set.of("whole", "merged");

    private Steps() {}

    /**
     * The next step forward.
     *
     * <p>From 4 the fallback is turned off before 5: an instance in 5 deletes in the target alone, and one that is still in 4 would
     * find the deleted key in the origin.
     */
    static Readiness forward(Situation situation) {
        PhaseRecord current = situation.current();
        Phase phase = current.phase();
        if (phase == Phase.TARGET_ONLY) {
            return refused(current, phase, "last", "phase 5 is the last");
        }
        boolean test = situation.test();
        if (phase == Phase.WRITE_TARGET && current.fallback() && !test) {
            return new Readiness(phase, phase, false, gates(situation, phase));
        }
        boolean targetFirst = situation.policy().targetFirst()
                || situation.said(Facts.NEEDS_TARGET_FIRST).contains("true");
        Phase to = phase.next(targetFirst).orElseThrow();
        boolean fallback = current.fallback() || phase == Phase.ORIGIN_ONLY;
        return new Readiness(phase, to, fallback, gates(situation, to));
    }

    private static List<Gate> gates(Situation situation, Phase to) {
        Gates gates = new Gates(situation);
        List<Gate> asked = new ArrayList<>(List.of(gates.instances(), gates.mode()));
        if (situation.test()) {
            return asked;
        }
        switch (situation.current().phase()) {
            case WRITE_BOTH -> {
                boolean leftBehind =
                        situation.stretch().map(DualStretch::leftBehind).orElse(false);
                if (leftBehind || !situation.allSay(Facts.PARTITIONS, NEVER_PARTIAL)) {
                    asked.add(gates.backfill());
                    asked.add(gates.verifiedSinceBackfill());
                }
                asked.add(gates.noDirtyKeys(Side.TARGET));
            }
            case READ_TARGET -> {
                asked.add(gates.wholeShare());
                asked.add(gates.noDirtyKeys(Side.TARGET));
                if (to == Phase.WRITE_TARGET) {
                    asked.add(gates.noDirtyKeys(Side.ORIGIN));
                }
                asked.add(gates.verified());
                asked.add(gates.quiet());
            }
            case TARGET_FIRST -> {
                asked.add(gates.noDirtyKeys(Side.TARGET));
                asked.add(gates.noDirtyKeys(Side.ORIGIN));
            }
            case WRITE_TARGET -> {
                asked.add(gates.verified());
                asked.add(gates.quiet());
            }
            default -> {
                // From 1, acknowledgements are all.
            }
        }
        return asked;
    }

    /**
     * The next step back.
     *
     * <p>From 3b without fallback the way leads to 3 without fallback: an instance still in 3b deletes in the target first, and
     * one that could fall back would find the key in the origin. From 2 on the fallback is there again.
     */
    static Readiness back(Situation situation) {
        PhaseRecord current = situation.current();
        Phase phase = current.phase();
        Gates gates = new Gates(situation);
        List<Gate> asked = new ArrayList<>(List.of(gates.instances()));
        boolean test = situation.test();
        return switch (phase) {
            case ORIGIN_ONLY -> refused(current, phase, "first", "phase 1 is the first");
            case WRITE_BOTH -> new Readiness(phase, Phase.ORIGIN_ONLY, true, asked);
            case READ_TARGET -> new Readiness(phase, Phase.WRITE_BOTH, true, asked);
            case TARGET_FIRST -> {
                if (!test) {
                    asked.add(gates.mode());
                    asked.add(gates.noDirtyKeys(Side.ORIGIN));
                    if (!current.fallback()) {
                        asked.add(gates.reverseBackfill());
                    }
                }
                yield new Readiness(phase, Phase.READ_TARGET, current.fallback(), asked);
            }
            case WRITE_TARGET -> {
                if (test) {
                    boolean over = situation.policy().targetFirst();
                    yield new Readiness(phase, over ? Phase.TARGET_FIRST : Phase.READ_TARGET, true, asked);
                }
                yield refused(current, afterReverse(current), "reverse", gates.reverseFirst());
            }
            case TARGET_ONLY -> {
                if (test) {
                    yield new Readiness(phase, Phase.WRITE_TARGET, true, asked);
                }
                yield refused(current, afterReverse(current), "reverse", gates.reverseFirst());
            }
        };
    }

    /** Where a step of the reverse walk leads. */
    static Phase afterReverse(PhaseRecord current) {
        boolean deletesOnlyTarget = current.phase() == Phase.TARGET_ONLY;
        // While anybody falls back, deletes must reach the origin first, which in 3b without fallback they do not.
        return deletesOnlyTarget || current.fallback() ? Phase.WRITE_TARGET : Phase.TARGET_FIRST;
    }

    /** One step of the reverse walk, from 5 or 4 towards 3b, without fallback all the way. */
    static Readiness reverse(Situation situation) {
        PhaseRecord current = situation.current();
        Phase phase = current.phase();
        if (phase.writes(Side.ORIGIN)) {
            return refused(current, phase, "reverse", "both sides are written, there is nothing to reverse");
        }
        if (situation.test()) {
            return refused(current, phase, "reverse", "in test mode the origin has everything, roll back");
        }
        Gates gates = new Gates(situation);
        return new Readiness(
                phase, afterReverse(current), false, List.of(gates.instances(), gates.mode(), gates.remembered()));
    }

    /** Another share of the reads, in 3, or in 2 for 3. */
    static Readiness share(Situation situation) {
        PhaseRecord current = situation.current();
        Phase phase = current.phase();
        if (phase != Phase.WRITE_BOTH && phase != Phase.READ_TARGET) {
            return refused(current, phase, "share", "reads have a share in phase 3 alone");
        }
        return new Readiness(phase, phase, current.fallback(), List.of(new Gates(situation).instances()));
    }

    private static Readiness refused(PhaseRecord current, Phase to, String gate, String evidence) {
        return new Readiness(current.phase(), to, current.fallback(), List.of(new Gate(gate, false, evidence, false)));
    }
}
