package io.anneal.migrate;

import io.anneal.dualdao.phase.Gate;
import io.anneal.dualdao.phase.GateException;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseControl;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Readiness;
import io.anneal.dualdao.phase.RollbackPlan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Takes a migration from the phase it is in to phase 5 by itself, or back to phase 1.
 *
 * <pre>{@code
 *   each phase:  all instances act by it -> bake -> work that a gate asks for -> all gates met -> next phase
 *                          |                 |              |                        |
 *                          +-----------------+--------------+------------------------+--> trouble, or too late: back
 * }</pre>
 *
 * <p>It never goes on without a gate, and on the way back neither: where the origin lacks what was written since, that is copied
 * back and compared first. Owned by one thread. An interrupted walk leaves the phase as it is.
 */
public final class Walk {
    static final String BACKFILL_GATE = "backfill";
    static final String VERIFICATION_GATE = "verification";
    private static final String SHARE_GATE = "share";
    private static final int ALL_KEYS_PERCENT = 100;
    /** A verification that found something may pass the next time, after a re-drive; not for ever. */
    private static final int WORK_ATTEMPTS_MAX = 3;

    private static final Duration POLL = Duration.ofMillis(100);

    /** The walk has to turn back. */
    private static final class TroubleException extends Exception {
        private static final long serialVersionUID = 1L;

        TroubleException(String reason) {
            super(reason);
        }
    }

    private final PhaseControl control;
    private final WalkPlan plan;
    private final WalkListener listener;
    private final HarnessTime time;
    private final long startNanos;

    private int attempts;

    public Walk(PhaseControl control, WalkPlan plan, WalkListener listener, HarnessTime time) {
        this.control = control;
        this.plan = plan;
        this.listener = listener;
        this.time = time;
        startNanos = time.nanoTime().getAsLong();
    }

    /**
     * Walks.
     *
     * @throws InterruptedException if the thread was interrupted; the phase stays as it is then
     * @throws PhaseStoreException if the phase store could not be asked when nothing could wait for it
     */
    public WalkResult run() throws InterruptedException {
        try {
            while (true) {
                PhaseRecord entered = control.current();
                awaitAcknowledged(entered);
                listener.entered(entered);
                bake();
                if (entered.phase() == Phase.TARGET_ONLY) {
                    return new WalkResult(WalkResult.Outcome.COMPLETED, entered, "");
                }
                step(entered);
            }
        } catch (TroubleException e) {
            return back(e.getMessage());
        }
    }

    private void awaitAcknowledged(PhaseRecord entered) throws TroubleException, InterruptedException {
        if (!control.awaitAcknowledged(plan.gateTimeout(), time.sleeper())) {
            throw new TroubleException("not every instance acts by phase "
                    + entered.phase().label() + " after " + DurationText.of(plan.gateTimeout()) + ": "
                    + control.instances().stream()
                            .filter(instance -> instance.serves() && !instance.acknowledged())
                            .map(instance -> instance.name())
                            .toList());
        }
    }

    private void bake() throws TroubleException, InterruptedException {
        long endNanos = time.nanoTime().getAsLong() + plan.bake().toNanos();
        for (long left = plan.bake().toNanos();
                left > 0;
                left = endNanos - time.nanoTime().getAsLong()) {
            checkTrouble();
            time.sleeper().sleep(Duration.ofNanos(Math.min(left, POLL.toNanos())));
        }
        checkTrouble();
    }

    private void checkTrouble() throws TroubleException {
        Optional<String> trouble = plan.trouble().get();
        if (trouble.isPresent()) {
            throw new TroubleException(trouble.get());
        }
        if (time.nanoTime().getAsLong() - startNanos > plan.atMost().toNanos()) {
            throw new TroubleException("the walk took longer than " + DurationText.of(plan.atMost()));
        }
    }

    /** Waits until all gates are met, does what they ask for, and makes the step. */
    private void step(PhaseRecord from) throws TroubleException, InterruptedException {
        long shutNanos = time.nanoTime().getAsLong();
        attempts = 0;
        List<Gate> told = List.of();
        while (true) {
            checkTrouble();
            Optional<Readiness> readiness = readiness();
            List<Gate> missing = readiness.map(Readiness::missing).orElse(List.of());
            if (readiness.isPresent() && missing.isEmpty() && advance(from, readiness.get())) {
                return;
            }
            if (work(missing)) {
                shutNanos = time.nanoTime().getAsLong();
                continue;
            }
            if (time.nanoTime().getAsLong() - shutNanos > plan.gateTimeout().toNanos()) {
                throw new TroubleException(
                        "gates of the next step stayed shut for " + DurationText.of(plan.gateTimeout()) + ": "
                                + (readiness.isEmpty() ? "the phase store can't be asked" : missing));
            }
            if (!names(missing).equals(names(told))) {
                listener.waiting(missing);
                told = missing;
            }
            time.sleeper().sleep(POLL);
        }
    }

    private static List<String> names(List<Gate> gates) {
        return gates.stream().map(Gate::name).toList();
    }

    /** Empty while the phase store can't be asked, which is like a gate that is shut. */
    private Optional<Readiness> readiness() {
        try {
            return Optional.of(control.readiness());
        } catch (PhaseStoreException e) {
            return Optional.empty();
        }
    }

    private boolean advance(PhaseRecord from, Readiness readiness) {
        try {
            control.advance(plan.who(), "all gates are met");
            listener.left(from, readiness);
            return true;
        } catch (GateException | PhaseChangedException | PhaseStoreException e) {
            // Whatever it was, the next look at the gates tells.
            return false;
        }
    }

    /** Whether there was work to do. A back-fill comes first: a verification without it says nothing. */
    private boolean work(List<Gate> missing) throws TroubleException, InterruptedException {
        if (names(missing).contains(SHARE_GATE)) {
            control.readShare(ALL_KEYS_PERCENT, plan.who(), "the next phase reads all keys from the target");
            return true;
        } else if (names(missing).contains(BACKFILL_GATE)) {
            work("back-fill", plan.backfill());
            return true;
        } else if (names(missing).contains(VERIFICATION_GATE)) {
            work("verification", plan.verification());
            return true;
        }
        return false;
    }

    private void work(String name, WalkWork work) throws TroubleException, InterruptedException {
        attempts++;
        if (attempts > WORK_ATTEMPTS_MAX) {
            throw new TroubleException(name + " was done and its gate stayed shut, times=" + WORK_ATTEMPTS_MAX);
        }
        listener.working(name);
        try {
            listener.worked(name, work.run());
        } catch (IOException | IllegalStateException | PhaseStoreException e) {
            throw new TroubleException(name + " failed: " + e.getMessage());
        }
    }

    private WalkResult back(String reason) throws InterruptedException {
        PhaseRecord last = control.current();
        listener.aborting(last, reason);
        try {
            while (last.phase() != Phase.ORIGIN_ONLY) {
                last = stepBack(last, reason);
                awaitAcknowledged(last);
                listener.entered(last);
            }
            return new WalkResult(WalkResult.Outcome.ROLLED_BACK, last, reason);
        } catch (TroubleException e) {
            return new WalkResult(
                    WalkResult.Outcome.STUCK, control.current(), reason + "; and on the way back: " + e.getMessage());
        }
    }

    private PhaseRecord stepBack(PhaseRecord from, String reason) throws TroubleException, InterruptedException {
        long shutNanos = time.nanoTime().getAsLong();
        attempts = 0;
        while (true) {
            RollbackPlan rollback = control.rollbackPlan();
            String refusal = rollback.refusal().orElse("");
            if (rollback.refusal().isEmpty()) {
                try {
                    return control.rollback(plan.who(), reason);
                } catch (GateException | PhaseChangedException | PhaseStoreException | IllegalStateException e) {
                    refusal = e.getMessage();
                }
            } else if (isBehindTarget(from)) {
                work("reverse back-fill", plan.reverse());
                return control.current();
            }
            if (time.nanoTime().getAsLong() - shutNanos > plan.gateTimeout().toNanos()) {
                throw new TroubleException(refusal);
            }
            time.sleeper().sleep(POLL);
        }
    }

    /** Whether the origin may lack writes, so that they have to be copied back first. */
    private static boolean isBehindTarget(PhaseRecord at) {
        return at.phase().compareTo(Phase.WRITE_TARGET) >= 0 || at.phase() == Phase.TARGET_FIRST && !at.fallback();
    }
}
