package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which step comes next, forward and back, and what it asks for. The table of all steps; {@link Gates} looks at the evidence. */
final class Steps {
    private static final Set<String> NEVER_PARTIAL = Set.of("whole", "merged");

    private static final String FINISHED = "the migration was finished, keys written since phase 4 are forgotten";

    private Steps() {}

    /** The next step forward. */
    static Readiness forward(Situation situation) {
        Phase phase = situation.current().phase();
        return phase.next()
                .map(to -> new Readiness(phase, to, gates(situation)))
                .orElseGet(() -> refused(phase, phase, "last", "phase 5 is the last"));
    }

    private static List<Gate> gates(Situation situation) {
        Gates gates = new Gates(situation);
        List<Gate> asked = new ArrayList<>(List.of(gates.instances(), gates.mode()));
        if (situation.test()) {
            return asked;
        }
        switch (situation.current().phase()) {
            case ORIGIN_ONLY -> asked.add(gates.preflight());
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
                asked.add(gates.verifiedSinceTargetRead());
                asked.add(gates.quiet());
            }
            case TARGET_FIRST -> {
                asked.add(gates.noDirtyKeys(Side.TARGET));
                // Who turned back and turns again leaves in the journals what the origin lacks, as it was in 4.
                if (!situation.wayBack()) {
                    asked.add(gates.noDirtyKeys(Side.ORIGIN));
                    asked.add(gates.verifiedSinceTargetRead());
                }
            }
            case WRITE_TARGET -> asked.add(gates.nobodyReturned());
            default -> {
                // From 5 there is no step.
            }
        }
        return asked;
    }

    /** The next step back. */
    static Readiness back(Situation situation) {
        Phase phase = situation.current().phase();
        Gates gates = new Gates(situation);
        if (phase == Phase.ORIGIN_ONLY) {
            return refused(phase, phase, "first", "phase 1 is the first");
        }
        if (situation.finished().isPresent()) {
            return refused(phase, phase.previous(), "finished", FINISHED);
        }
        if (!phase.writes(Side.ORIGIN) && !situation.test()) {
            return refused(phase, phase.previous(), "reverse", gates.reverseFirst());
        }
        List<Gate> asked = new ArrayList<>(List.of(gates.instances()));
        if (phase == Phase.TARGET_FIRST && !situation.test()) {
            asked.add(gates.mode());
            asked.add(gates.noDirtyKeys(Side.ORIGIN));
            if (situation.wayBack()) {
                asked.add(gates.reverseBackfill());
            }
        }
        return new Readiness(phase, phase.previous(), asked);
    }

    /** One step of the reverse walk, from 5 or 4 towards 3b. */
    static Readiness reverse(Situation situation) {
        Phase phase = situation.current().phase();
        if (phase.writes(Side.ORIGIN)) {
            return refused(phase, phase, "reverse", "both sides are written, there is nothing to reverse");
        }
        if (situation.test()) {
            return refused(phase, phase, "reverse", "in test mode the origin has everything, roll back");
        }
        if (situation.finished().isPresent()) {
            return refused(phase, phase, "finished", FINISHED);
        }
        Gates gates = new Gates(situation);
        return new Readiness(phase, phase.previous(), List.of(gates.instances(), gates.mode(), gates.remembered()));
    }

    /** The end, in 5. */
    static Readiness finish(Situation situation) {
        Phase phase = situation.current().phase();
        if (phase != Phase.TARGET_ONLY || situation.test()) {
            return refused(phase, phase, "last", "a migration is finished in phase 5, and none in test mode");
        }
        Gates gates = new Gates(situation);
        return new Readiness(phase, phase, List.of(gates.instances(), gates.mode(), gates.nobodyReturned()));
    }

    /** Another share of the reads, in 3, or in 2 for 3. */
    static Readiness share(Situation situation) {
        Phase phase = situation.current().phase();
        if (phase != Phase.WRITE_BOTH && phase != Phase.READ_TARGET) {
            return refused(phase, phase, "share", "the share (--to-share) is of phase 3 alone, or set in 2 for it");
        }
        return new Readiness(phase, phase, List.of(new Gates(situation).instances()));
    }

    private static Readiness refused(Phase from, Phase to, String gate, String evidence) {
        return new Readiness(from, to, List.of(new Gate(gate, false, evidence, false)));
    }
}
