package io.anneal.store;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A row as CQL reads it: values as Java objects by column name, as {@link io.anneal.schema.JavaValues} lists them, the key's
 * and the partition's static ones among them. Owns everything it holds. Immutable.
 */
public final class TableRow {
    /** When a value was written, for how long, and if it expires when. */
    record Written(long timestampMicros, int ttlSeconds, long expirySeconds) {}

    private final long token;
    private final Map<String, Object> values;
    private final Map<String, Written> written;

    TableRow(long token, Map<String, Object> values, Map<String, Written> written) {
        this.token = token;
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        this.written = Map.copyOf(written);
    }

    /** Of the partition key. */
    public long token() {
        return token;
    }

    /** All columns in the order partition key, clustering, static, regular; null for those without a value. */
    public Map<String, Object> values() {
        return values;
    }

    /**
     * A column's value, or null when there is none.
     *
     * @throws IllegalArgumentException when the table has no such column
     */
    public Object value(String column) {
        requireColumn(column);
        return values.get(column);
    }

    /**
     * A column's value, or null when there is none.
     *
     * @throws IllegalArgumentException when the table has no such column
     * @throws ClassCastException when its values are of another class
     */
    public <T> T value(String column, Class<T> javaClass) {
        return javaClass.cast(value(column));
    }

    /** As CQL's {@code writetime}: of a static or regular column that is no collection and has a value. */
    public OptionalLong writeTimeMicros(String column) {
        requireColumn(column);
        Written at = written.get(column);
        return at == null ? OptionalLong.empty() : OptionalLong.of(at.timestampMicros());
    }

    /** The TTL that the value of such a column was written with; empty when it lasts for ever. */
    public OptionalInt ttlSeconds(String column) {
        requireColumn(column);
        Written at = written.get(column);
        return at == null || at.ttlSeconds() == 0 ? OptionalInt.empty() : OptionalInt.of(at.ttlSeconds());
    }

    /** When the value of such a column expires, in seconds since 1970; empty when it lasts for ever. */
    public OptionalLong expirySeconds(String column) {
        requireColumn(column);
        Written at = written.get(column);
        return at == null || at.ttlSeconds() == 0 ? OptionalLong.empty() : OptionalLong.of(at.expirySeconds());
    }

    private void requireColumn(String column) {
        if (!values.containsKey(column)) {
            throw new IllegalArgumentException("table has no such column, column=" + column);
        }
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
