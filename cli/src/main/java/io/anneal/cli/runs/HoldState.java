package io.anneal.cli.runs;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * How far a run over the agents of a cluster is with what they hold for it.
 *
 * @param plan by which another one is told from that of the run: nodes, agents, and who owns what
 * @param heldUntil agents let go then by themselves, if they hear no more of the run
 * @param skew of the agents' clocks at most, as it was found to be so far
 * @param snapshotAt when the first of the snapshots began
 * @param importBefore the moment after which some node refuses to import
 * @param waitsUntil it pauses until its window opens
 * @param settings how it works now
 * @param left agents, by address, which could not be asked to let go when it ended, and may hold still
 * @param failure why it has not done what was wanted, if that is known
 */
public record HoldState(
        Step step,
        String plan,
        Instant heldUntil,
        Duration skew,
        Optional<Instant> snapshotAt,
        Optional<Instant> importBefore,
        Optional<Instant> waitsUntil,
        RunSettings settings,
        List<String> left,
        Optional<String> failure) {
    /** What it is at. A step is recorded before it begins, so that none of a later one has begun. */
    public enum Step {
        HOLD,
        SNAPSHOT,
        REPAIR,
        IMPORT
    }

    /** Deadlines are printed to be read; a second earlier is on the safe side. */
    public HoldState {
        heldUntil = heldUntil.truncatedTo(ChronoUnit.SECONDS);
        importBefore = importBefore.map(until -> until.truncatedTo(ChronoUnit.SECONDS));
        left = List.copyOf(left);
    }

    /** Before anything is held. */
    public static HoldState starting(String plan, Instant heldUntil, RunSettings settings) {
        return new HoldState(
                Step.HOLD,
                plan,
                heldUntil,
                Duration.ZERO,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                settings,
                List.of(),
                Optional.empty());
    }

    public HoldState at(Step next) {
        return new HoldState(
                next, plan, heldUntil, skew, snapshotAt, importBefore, waitsUntil, settings, left, failure);
    }

    public HoldState heldUntil(Instant until) {
        return new HoldState(step, plan, until, skew, snapshotAt, importBefore, waitsUntil, settings, left, failure);
    }

    public HoldState withSkew(Duration found) {
        return new HoldState(
                step, plan, heldUntil, found, snapshotAt, importBefore, waitsUntil, settings, left, failure);
    }

    public HoldState withSnapshots(Instant first, Optional<Instant> deadline) {
        return new HoldState(
                step, plan, heldUntil, skew, Optional.of(first), deadline, waitsUntil, settings, left, failure);
    }

    public HoldState waiting(Optional<Instant> until) {
        return new HoldState(step, plan, heldUntil, skew, snapshotAt, importBefore, until, settings, left, failure);
    }

    public HoldState working(RunSettings how) {
        return new HoldState(step, plan, heldUntil, skew, snapshotAt, importBefore, waitsUntil, how, left, failure);
    }

    public HoldState leaving(List<String> agents) {
        return new HoldState(
                step, plan, heldUntil, skew, snapshotAt, importBefore, waitsUntil, settings, agents, failure);
    }

    public HoldState failing(String why) {
        return new HoldState(
                step, plan, heldUntil, skew, snapshotAt, importBefore, waitsUntil, settings, left, Optional.of(why));
    }
}
