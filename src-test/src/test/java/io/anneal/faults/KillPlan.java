package io.anneal.faults;

import java.util.List;
import java.util.SplittableRandom;

/**
 * When the child is killed: when it has acknowledged so many writes, or has begun something so often, whichever is first, and
 * some time later.
 *
 * @param phase null to count acknowledgements alone
 * @param occurrence of the phase
 * @param delayNanos from then on
 */
record KillPlan(String phase, int occurrence, int acknowledged, long delayNanos) {
    private static final List<String> ONCE = List.of("open", "create", "close");
    private static final List<String> REPEATED =
            List.of("flush", "compact", "snapshot", "scratch", "scratch", "empty", "refuse");
    private static final int DELAY_MAX_NANOS = 20_000_000;
    private static final int OPENING_MAX_NANOS = 400_000_000;

    /** @param writeCount which the child makes at most */
    static KillPlan random(SplittableRandom random, int writeCount) {
        long delayNanos = random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextInt(DELAY_MAX_NANOS) + 1);
        int some = 1 + random.nextInt(writeCount);
        return switch (random.nextInt(5)) {
            case 0 -> new KillPlan(ONCE.get(random.nextInt(ONCE.size())), 1, Integer.MAX_VALUE, 5 * delayNanos);
            case 1, 2 ->
                new KillPlan(
                        REPEATED.get(random.nextInt(REPEATED.size())), 1 + random.nextInt(4), writeCount, delayNanos);
            default -> new KillPlan(null, Integer.MAX_VALUE, some, delayNanos);
        };
    }

    /** While the store is opened, with what the last one left. */
    static KillPlan whileOpening(SplittableRandom random) {
        return new KillPlan("open", 1, Integer.MAX_VALUE, random.nextInt(OPENING_MAX_NANOS));
    }

    /** Whether now is the time. */
    boolean isDue(int phaseCount, int acknowledgedCount) {
        return phaseCount >= occurrence || acknowledgedCount >= acknowledged;
    }

    boolean isPhase(String line) {
        return phase != null && line.equals("P " + phase);
    }
}
