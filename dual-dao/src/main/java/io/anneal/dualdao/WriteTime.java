package io.anneal.dualdao;

import java.util.OptionalLong;

/**
 * The one time of a write that goes to both sides: while a dual DAO calls a side, {@link #currentMicros} gives the same value to
 * both, so that two writes to a key are ordered alike in both stores whichever arrives first. A DAO that hands it on as
 * the write's timestamp keeps its sides equal under concurrent writes; one that does not must be verified more often. Strictly
 * monotonic within an instance. Bound to the calling thread, for the time of the call.
 */
public final class WriteTime {
    private static final ThreadLocal<long[]> CURRENT = ThreadLocal.withInitial(() -> new long[1]);

    private WriteTime() {}

    /** Microseconds since 1970, or empty outside a write through a dual DAO. */
    public static OptionalLong currentMicros() {
        long micros = CURRENT.get()[0];
        return micros == 0 ? OptionalLong.empty() : OptionalLong.of(micros);
    }

    /** Sets the time for what this thread calls next, 0 for none; answers what was set. */
    static long set(long micros) {
        long[] current = CURRENT.get();
        long before = current[0];
        current[0] = micros;
        return before;
    }
}
