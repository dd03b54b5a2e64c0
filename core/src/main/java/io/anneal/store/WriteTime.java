package io.anneal.store;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import java.util.Optional;
import java.util.OptionalLong;

/** When a write is made and how long it lasts: as it was told, else as the table and the target say. One thread. */
final class WriteTime {
    /** As Cassandra has it: twenty years. */
    static final int TTL_MAX_SECONDS = 20 * 365 * 24 * 60 * 60;

    /** The smallest stands for none, and what an assigned collection replaces is one older. */
    private static final long TIMESTAMP_MIN_MICROS = DeletionTime.NO_TIMESTAMP + 2;

    /** What 32 bits hold. */
    private static final long LOCAL_TIME_MAX_SECONDS = 0xFFFF_FFFFL;

    private final WriteTarget target;
    private OptionalLong timestampMicros = OptionalLong.empty();
    private OptionalLong localTimeSeconds = OptionalLong.empty();
    private int ttlSeconds;

    WriteTime(TableSchema schema, WriteTarget target) {
        this.target = target;
        ttlSeconds = schema.hasCounters() ? Row.NO_TTL : usualTtlSeconds(schema);
    }

    /** @throws SchemaException when the table's TTL is none */
    static int usualTtlSeconds(TableSchema schema) {
        Optional<String> option = schema.options().defaultTimeToLive();
        if (option.isEmpty()) {
            return Row.NO_TTL;
        }
        String text = option.get();
        try {
            int seconds = Integer.parseInt(text);
            if (seconds >= 0 && seconds <= TTL_MAX_SECONDS) {
                return seconds;
            }
        } catch (NumberFormatException e) {
            throw wrongTtl(schema, text, e);
        }
        throw wrongTtl(schema, text, null);
    }

    private static SchemaException wrongTtl(TableSchema schema, String text, NumberFormatException cause) {
        SchemaException exception = new SchemaException("table's TTL is out of range, table=" + schema.qualifiedName()
                + ", default_time_to_live=" + text + ", maxSeconds=" + TTL_MAX_SECONDS);
        exception.initCause(cause);
        return exception;
    }

    void timestampMicros(long micros) {
        if (micros < TIMESTAMP_MIN_MICROS) {
            throw new IllegalArgumentException(
                    "timestamp is reserved, timestampMicros=" + micros + ", minMicros=" + TIMESTAMP_MIN_MICROS);
        }
        timestampMicros = OptionalLong.of(micros);
    }

    void localTimeSeconds(long seconds) {
        if (seconds < 0 || seconds > LOCAL_TIME_MAX_SECONDS) {
            throw new IllegalArgumentException("local time is before 1970 or after 2106, localTimeSeconds=" + seconds
                    + ", maxSeconds=" + LOCAL_TIME_MAX_SECONDS);
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

    /** From the first call on it is decided. */
    long timestampMicros() {
        if (timestampMicros.isEmpty()) {
            timestampMicros = OptionalLong.of(target.timestampMicros());
        }
        return timestampMicros.getAsLong();
    }

    /** When deletions are made and TTLs begin. */
    long localTimeSeconds() {
        if (localTimeSeconds.isEmpty()) {
            localTimeSeconds = OptionalLong.of(target.localTimeSeconds(timestampMicros()));
        }
        return localTimeSeconds.getAsLong();
    }

    long expirySeconds() {
        return ttlSeconds == Row.NO_TTL ? DeletionTime.NO_DELETION_TIME : localTimeSeconds() + ttlSeconds;
    }
}
