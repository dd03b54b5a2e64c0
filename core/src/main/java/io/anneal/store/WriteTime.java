package io.anneal.store;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** When a write was made and how long it lasts, as far as it was told. One thread. */
final class WriteTime {
    /** As Cassandra has it: twenty years. */
    static final int TTL_MAX_SECONDS = 20 * 365 * 24 * 60 * 60;

    private OptionalLong timestampMicros;
    private OptionalLong localTimeSeconds = OptionalLong.empty();
    private int ttlSeconds = Row.NO_TTL;

    WriteTime(OptionalLong defaultTimestampMicros) {
        timestampMicros = defaultTimestampMicros;
    }

    void timestampMicros(long micros) {
        if (micros == DeletionTime.NO_TIMESTAMP) {
            throw new IllegalArgumentException("timestamp is reserved for none, timestampMicros=" + micros);
        }
        timestampMicros = OptionalLong.of(micros);
    }

    void localTimeSeconds(long seconds) {
        if (seconds < 0) {
            throw new IllegalArgumentException("local time is before 1970, localTimeSeconds=" + seconds);
        }
        localTimeSeconds = OptionalLong.of(seconds);
    }

    void ttlSeconds(int seconds) {
        if (seconds < 0 || seconds > TTL_MAX_SECONDS) {
            throw new IllegalArgumentException(
                    "TTL is out of range, ttlSeconds=" + seconds + ", maxSeconds=" + TTL_MAX_SECONDS);
        }
        ttlSeconds = seconds;
    }

    int ttlSeconds() {
        return ttlSeconds;
    }

    long timestampMicros() {
        return timestampMicros.orElseThrow(() -> new IllegalStateException(
                "write has no timestamp: give timestampMicros to it or to the writer's builder"));
    }

    /** When deletions were made and TTLs began: by the timestamp, unless told. */
    long localTimeSeconds() {
        return localTimeSeconds.orElseGet(() -> Math.max(0, TimeUnit.MICROSECONDS.toSeconds(timestampMicros())));
    }

    long expirySeconds() {
        return ttlSeconds == Row.NO_TTL ? DeletionTime.NO_DELETION_TIME : localTimeSeconds() + ttlSeconds;
    }
}
