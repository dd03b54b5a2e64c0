package io.anneal.dualdao.route;

import java.util.OptionalLong;

/**
 * The one time of a write that goes to both sides: while a dual DAO calls a side, {@link #currentMicros} gives the same value to
 * both, so that two writes to a key are ordered alike in both stores whichever arrives first. A DAO that hands it on as
 * the write's timestamp keeps its sides equal under concurrent writes; one that does not must be verified more often. Strictly
 * monotonic within an instance. Bound to the calling thread, for the time of the call.
 */
public final class WriteTime {
    private static final ThreadLocal<Current> CURRENT = ThreadLocal.withInitial(Current::new);

    private WriteTime() {}

    /** Microseconds since 1970, or empty outside a write through a dual DAO. */
    public static OptionalLong currentMicros() {
        Current current = CURRENT.get();
        if (current.micros == 0 && current.times != null) {
            current.micros = current.times.nextMicros();
        }
        return current.micros == 0 ? OptionalLong.empty() : OptionalLong.of(current.micros);
    }

    /** What this thread has, to be set and put back around the call of a side. */
    static Current current() {
        return CURRENT.get();
    }

    /** What a thread has: a time, or where to take it from when somebody asks. */
    static final class Current {
        private long micros;
        private WriteTimes times;

        long micros() {
            return micros;
        }

        WriteTimes times() {
            return times;
        }

        /** Sets both, 0 and null for none. */
        void set(long newMicros, WriteTimes newTimes) {
            micros = newMicros;
            times = newTimes;
        }
    }
}
