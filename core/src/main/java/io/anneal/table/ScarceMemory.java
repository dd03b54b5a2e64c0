package io.anneal.table;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Small steps that must not be left out, tried again while memory is used up: somebody else's large allocation has failed just
 * then, too, and gives room back.
 */
final class ScarceMemory {
    private static final int TRIES_MAX = 10_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private ScarceMemory() {}

    /** @param step allocates before it does anything, so that it may be done again where that failed */
    static <T> T insist(Supplier<T> step) {
        for (int tries = 1; ; tries++) {
            try {
                return step.get();
            } catch (OutOfMemoryError e) {
                if (tries == TRIES_MAX) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
