package io.anneal.job;

import io.anneal.environment.HostEnvironment;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/** How often one unit was tried, and how long it waits before the next time. Belongs to the worker that has the unit. */
final class UnitTries {
    private static final long ROOM_WAIT_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long ROOM_WAIT_MAX_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final RetryPolicy policy;
    private final HostEnvironment environment;

    private int count;
    private long backoffNanos;
    private long roomWaitNanos;
    /** What the job had done when the patience of this unit was measured from. */
    private double doneThen;

    private long noRoomSinceNanos;
    private boolean waitingForRoom;
    private long waitNanos;

    UnitTries(RetryPolicy policy, HostEnvironment environment) {
        this.policy = policy;
        this.environment = environment;
        backoffNanos = policy.first().toNanos();
    }

    /** Attempts so far; what there was no room for is none. */
    int count() {
        return count;
    }

    /** Whether the last failure was for want of room. */
    boolean isWaitingForRoom() {
        return waitingForRoom;
    }

    /** How long to wait before the next attempt. */
    long waitNanos() {
        return waitNanos;
    }

    /**
     * Takes note of a failure, and says whether another attempt follows.
     *
     * @param done how much the job has done, in any measure: while that changes, its other units have the room
     */
    boolean isWorthAnother(Exception failure, boolean passesInAnyCase, DoubleSupplier done) {
        boolean waited = waitingForRoom;
        waitingForRoom = policy.noRoom().test(failure);
        return waitingForRoom
                ? hasPatience(waited, done.getAsDouble())
                : isLeft(passesInAnyCase || policy.passing().test(failure));
    }

    private boolean hasPatience(boolean waitedBefore, double done) {
        long nowNanos = environment.nanoTime().getAsLong();
        if (!waitedBefore) {
            roomWaitNanos = ROOM_WAIT_MIN_NANOS;
        }
        if (!waitedBefore || done != doneThen) {
            noRoomSinceNanos = nowNanos;
            doneThen = done;
        }
        // Half of it is random, so that many do not come back at one moment.
        waitNanos = roomWaitNanos / 2 + environment.random().nextLong(roomWaitNanos / 2 + 1);
        roomWaitNanos = Math.min(2 * roomWaitNanos, ROOM_WAIT_MAX_NANOS);
        return nowNanos - noRoomSinceNanos < policy.patience().toNanos();
    }

    private boolean isLeft(boolean mayPass) {
        count++;
        waitNanos = backoffNanos;
        backoffNanos = Math.min(policy.longest().toNanos(), 2 * backoffNanos);
        return mayPass && count < policy.attempts();
    }
}
