package io.anneal.harness;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

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
 * back and compared first. It stops where somebody else changed the phase. A phase store that can't be asked, and work that
 * failed, are like a gate that is shut. Owned by one thread. An interrupted walk leaves the phase as it is.
 */
public final class Walk {
    static final String BACKFILL_GATE = "backfill";
    static final String VERIFICATION_GATE = "verification";
    static final String SHARE_GATE = "share";
    private static final int ALL_KEYS_PERCENT = 100;
    /** A verification that found something may pass the next time, after a re-drive; not for ever. */
    private static final int WORK_ATTEMPTS_MAX = 3;

    private static final Duration POLL = Duration.ofMillis(100);
    private static final String GATES_MET = "all gates are met";
    private static final String NOT_ASKED = "the phase store can't be asked";

    /** The walk has to turn back. */
    private static final class TroubleException extends Exception {
        private static final long serialVersionUID = 1L;

        TroubleException(String reason) {
            super(reason);
        }
    }

    /** Somebody else changed the phase, who is not to be undone. */
    private static final class TakenOverException extends Exception {
        private static final long serialVersionUID = 1L;

        TakenOverException(PhaseRecord theirs) {
            super("the phase was changed by " + theirs.who() + " (" + theirs.why() + "), to "
                    + theirs.phase().label() + " at " + theirs.at());
        }
    }

    /** What became of a piece of work. */
    private enum Worked {
        DONE,
        FAILED,
        /** It was not begun, since the last time is not long ago. */
        NOT_YET
    }

    private final PhaseControl control;
    private final WalkPlan plan;
    private final WalkListener listener;
    private final DualEnvironment time;
    private final long startNanos;
    private final Map<String, Integer> attempts = new HashMap<>();

    private long attemptedNanos;
    private boolean turningBack;
    /** What this walk made or entered; whatever follows it is somebody else's, or a step that it was not told of. */
    private PhaseRecord last;

    public Walk(PhaseControl control, WalkPlan plan, WalkListener listener, DualEnvironment time) {
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
     * @throws PhaseStoreException if the phase store could not be asked at the very beginning
     */
    public WalkResult run() throws InterruptedException {
        last = control.current();
        try {
            while (true) {
                awaitAcknowledged();
                listener.entered(last);
                bake();
                if (last.phase() != Phase.TARGET_ONLY) {
                    step();
                } else if (!changed(GATES_MET)) {
                    return new WalkResult(WalkResult.Outcome.COMPLETED, last, "");
                }
            }
        } catch (TroubleException e) {
            return back(e.getMessage());
        } catch (TakenOverException e) {
            return new WalkResult(WalkResult.Outcome.STUCK, last, e.getMessage());
        }
    }

    /** How many times at least a walk watches a phase before it enters 5. */
    public static int bakesBefore5(PhaseRecord from) {
        return Phase.TARGET_ONLY.ordinal() - from.phase().ordinal();
    }

    private void awaitAcknowledged() throws TroubleException, InterruptedException {
        long shutNanos = time.nanoTime().getAsLong();
        while (!acknowledged()) {
            pause(
                    shutNanos,
                    () -> "not every instance acts by phase " + last.phase().label() + " after "
                            + DurationText.of(plan.gateTimeout()) + ": " + behind());
        }
    }

    private boolean acknowledged() {
        try {
            return control.acknowledged();
        } catch (PhaseStoreException e) {
            return false;
        }
    }

    private String behind() {
        try {
            return control.behind().toString();
        } catch (PhaseStoreException e) {
            return NOT_ASKED;
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
        // In 5 there is nothing left that could be late.
        if (last.phase() != Phase.TARGET_ONLY
                && time.nanoTime().getAsLong() - startNanos > plan.atMost().toNanos()) {
            throw new TroubleException("the walk took longer than " + DurationText.of(plan.atMost()));
        }
    }

    /** A moment until the next look at what is shut since then. */
    private void pause(long shutNanos, Supplier<String> reason) throws TroubleException, InterruptedException {
        if (!turningBack) {
            checkTrouble();
        }
        if (time.nanoTime().getAsLong() - shutNanos > plan.gateTimeout().toNanos()) {
            throw new TroubleException(reason.get());
        }
        time.sleeper().sleep(POLL);
    }

    /**
     * Looks at the record in force, and takes it up if it is another: a step of this walk's own that the store made without
     * saying so, or the same phase with another share.
     *
     * @param ownWhy what stands in this walk's steps now
     * @return whether it is another
     * @throws TakenOverException if somebody else changed the phase
     */
    private boolean changed(String ownWhy) throws TroubleException, TakenOverException, InterruptedException {
        PhaseRecord before = last;
        last = current();
        boolean own = last.version() == before.version() + 1
                && last.who().equals(plan.who())
                && last.why().equals(ownWhy);
        if (!own && last.phase() != before.phase()) {
            throw new TakenOverException(last);
        }
        return last.version() != before.version();
    }

    private PhaseRecord current() throws TroubleException, InterruptedException {
        long shutNanos = time.nanoTime().getAsLong();
        while (true) {
            try {
                return control.current();
            } catch (PhaseStoreException e) {
                pause(shutNanos, () -> NOT_ASKED + ": " + e.getMessage());
            }
        }
    }

    /** Waits until all gates are met, does what they ask for, and makes the step, or another share. */
    private void step() throws TroubleException, TakenOverException, InterruptedException {
        long shutNanos = time.nanoTime().getAsLong();
        attempts.clear();
        List<Gate> told = List.of();
        while (true) {
            Optional<Readiness> readiness = readiness();
            if (changed(GATES_MET)) {
                return;
            }
            List<Gate> missing = readiness.map(Readiness::missing).orElse(List.of());
            if (readiness.isPresent() && missing.isEmpty() && advance(readiness.get())
                    || names(missing).contains(SHARE_GATE) && share()) {
                return;
            }
            if (work(names(missing)) != Worked.NOT_YET) {
                checkTrouble();
                shutNanos = time.nanoTime().getAsLong();
                continue;
            }
            pause(
                    shutNanos,
                    () -> "gates of the next step stayed shut for " + DurationText.of(plan.gateTimeout()) + ": "
                            + (readiness.isEmpty() ? NOT_ASKED : missing));
            if (!names(missing).equals(names(told))) {
                listener.waiting(missing);
                told = missing;
            }
        }
    }

    private static List<String> names(List<Gate> gates) {
        return gates.stream().map(Gate::name).toList();
    }

    private Optional<Readiness> readiness() {
        try {
            return Optional.of(control.readiness());
        } catch (PhaseStoreException e) {
            return Optional.empty();
        }
    }

    private boolean advance(Readiness readiness) {
        PhaseRecord left = last;
        try {
            last = control.advance(plan.who(), GATES_MET);
        } catch (GateException | PhaseChangedException | PhaseStoreException e) {
            // Whatever it was, the next look at the gates tells.
            return false;
        }
        listener.left(left, readiness);
        return true;
    }

    private boolean share() {
        try {
            last = control.readShare(ALL_KEYS_PERCENT, plan.who(), "the next phase reads all keys from the target");
            return true;
        } catch (GateException | PhaseChangedException | PhaseStoreException e) {
            // An instance that was not heard of for a moment, most likely; the next look tells.
            return false;
        }
    }

    /** A back-fill comes first: a verification without it says nothing. */
    private Worked work(List<String> missing) throws TroubleException, InterruptedException {
        if (missing.contains(BACKFILL_GATE)) {
            return work("back-fill", plan.works().backfill());
        }
        return missing.contains(VERIFICATION_GATE)
                ? work("verification", plan.works().verification())
                : Worked.NOT_YET;
    }

    /** Attempts are spread over the time that a gate may stay shut, so that what they wait for can happen. */
    private Worked work(String name, WalkWork work) throws TroubleException, InterruptedException {
        int attempt = attempts.getOrDefault(name, 0) + 1;
        if (attempt > WORK_ATTEMPTS_MAX) {
            throw new TroubleException(name + " was done and its gate stayed shut, times=" + WORK_ATTEMPTS_MAX);
        }
        long betweenNanos = plan.gateTimeout().dividedBy(WORK_ATTEMPTS_MAX).toNanos();
        if (attempt > 1 && time.nanoTime().getAsLong() - attemptedNanos < betweenNanos) {
            return Worked.NOT_YET;
        }
        attempts.put(name, attempt);
        listener.working(name);
        try {
            listener.worked(name, work.run());
            return Worked.DONE;
        } catch (IOException | RuntimeException e) {
            // Work is the caller's code, which may throw anything.
            listener.worked(name, "failed: " + e.getMessage());
            if (attempt == WORK_ATTEMPTS_MAX) {
                throw new TroubleException(name + " failed, times=" + attempt + ": " + e.getMessage());
            }
            return Worked.FAILED;
        } finally {
            attemptedNanos = time.nanoTime().getAsLong();
        }
    }

    private WalkResult back(String reason) throws InterruptedException {
        turningBack = true;
        listener.aborting(last, reason);
        try {
            changed(GATES_MET);
            while (last.phase() != Phase.ORIGIN_ONLY) {
                stepBack(reason);
                awaitAcknowledged();
                listener.entered(last);
            }
            return new WalkResult(WalkResult.Outcome.ROLLED_BACK, last, reason);
        } catch (TroubleException | TakenOverException e) {
            return new WalkResult(WalkResult.Outcome.STUCK, last, reason + "; and on the way back: " + e.getMessage());
        }
    }

    private void stepBack(String reason) throws TroubleException, TakenOverException, InterruptedException {
        long shutNanos = time.nanoTime().getAsLong();
        attempts.clear();
        while (true) {
            String refusal;
            try {
                refusal = control.rollbackPlan().refusal().orElse("");
                if (changed(reason)) {
                    return;
                }
                if (refusal.isEmpty()) {
                    last = control.rollback(plan.who(), reason);
                    return;
                }
                if (isOriginBehind()) {
                    Worked worked = work("reverse back-fill", plan.works().reverse());
                    if (worked != Worked.NOT_YET) {
                        // It makes steps of its own.
                        last = current();
                        shutNanos = time.nanoTime().getAsLong();
                    }
                    if (worked == Worked.DONE) {
                        return;
                    }
                }
            } catch (GateException | PhaseChangedException | PhaseStoreException e) {
                refusal = e.getMessage();
            }
            String shut = refusal;
            pause(shutNanos, () -> shut);
        }
    }

    /** Whether the origin may lack writes, so that they have to be copied back first. */
    private boolean isOriginBehind() {
        return !last.phase().writes(Side.ORIGIN) || control.onTheWayBack();
    }
}
