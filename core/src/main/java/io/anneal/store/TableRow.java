package io.anneal.store;

import io.anneal.io.BufferViews;
import io.anneal.schema.Column;
import io.anneal.schema.CqlDuration;
import io.anneal.schema.CqlType;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableSchema;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A row as CQL reads it: values as Java objects by column name, as {@link JavaValues} lists them, the key's and the partition's static
 * ones among them. Owns everything it holds. Immutable: a blob's buffer, also one within a collection, is read-only and has a position
 * of its own each time it is asked for.
 *
 * <p>Getters of a type, as {@link #getInt}, throw where the column is of another, whatever its value: an {@link
 * IllegalArgumentException} where the table has no such column, a {@link ClassCastException} that names column, CQL type and what was
 * asked for where it has. Without a value they give null, but those that cannot, since they give a Java primitive, throw an {@link
 * IllegalStateException} that names the column; {@link #isNull} tells before. Tuples and user-defined types come by {@link
 * #value(String, Class)}, as a {@link List} and a {@link Map}.
 *
 * <p>Rows are equal that have the same columns with the same values. When these were written and until when they last does not count.
 */
public final class TableRow {
    /** When a value was written, for how long, and if it expires when. */
    record Written(long timestampMicros, int ttlSeconds, long expirySeconds) {}

    private static final int SHOWN_BYTES_MAX = 64;

    private final TableSchema schema;
    private final long token;
    private final Map<String, Object> values;
    private final Map<String, Written> written;

    TableRow(TableSchema schema, long token, Map<String, Object> values, Map<String, Written> written) {
        this.schema = schema;
        this.token = token;
        this.values = BufferViews.map(new LinkedHashMap<>(values));
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
        Objects.requireNonNull(javaClass, "javaClass");
        CqlType type = type(column);
        if (!javaClass.isAssignableFrom(JavaValues.javaClass(type))) {
            throw misfit(column, type, javaClass.getSimpleName());
        }
        return javaClass.cast(values.get(column));
    }

    /** Whether a column has no value. */
    public boolean isNull(String column) {
        return value(column) == null;
    }

    /** Of an {@code ascii} or {@code text}. */
    public String getString(String column) {
        return value(column, String.class);
    }

    public boolean getBoolean(String column) {
        return present(column, Boolean.class);
    }

    /** Of a {@code tinyint}. */
    public byte getByte(String column) {
        return present(column, Byte.class);
    }

    /** Of a {@code smallint}. */
    public short getShort(String column) {
        return present(column, Short.class);
    }

    public int getInt(String column) {
        return present(column, Integer.class);
    }

    /** Of a {@code bigint} or {@code counter}. */
    public long getLong(String column) {
        return present(column, Long.class);
    }

    /** Of a {@code varint}. */
    public BigInteger getBigInteger(String column) {
        return value(column, BigInteger.class);
    }

    public float getFloat(String column) {
        return present(column, Float.class);
    }

    public double getDouble(String column) {
        return present(column, Double.class);
    }

    /** Of a {@code decimal}. */
    public BigDecimal getBigDecimal(String column) {
        return value(column, BigDecimal.class);
    }

    /** Of a {@code blob}, which is copied. */
    public byte[] getBytes(String column) {
        ByteBuffer buffer = getByteBuffer(column);
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** Of a {@code blob}: read-only, nothing is copied. */
    public ByteBuffer getByteBuffer(String column) {
        return value(column, ByteBuffer.class);
    }

    /** Of a {@code timestamp}. */
    public Instant getInstant(String column) {
        return value(column, Instant.class);
    }

    /** Of a {@code date}. */
    public LocalDate getLocalDate(String column) {
        return value(column, LocalDate.class);
    }

    /** Of a {@code time}. */
    public LocalTime getLocalTime(String column) {
        return value(column, LocalTime.class);
    }

    /** Of a {@code duration}. */
    public CqlDuration getCqlDuration(String column) {
        return value(column, CqlDuration.class);
    }

    /** Of a {@code uuid} or {@code timeuuid}. */
    public UUID getUuid(String column) {
        return value(column, UUID.class);
    }

    /** Of an {@code inet}. */
    public InetAddress getInetAddress(String column) {
        return value(column, InetAddress.class);
    }

    /** Of a {@code list} or {@code vector}; an empty list that is not frozen is none, and so null. */
    public <E> List<E> getList(String column, Class<E> elementClass) {
        Objects.requireNonNull(elementClass, "elementClass");
        return this.<List<E>>collection(
                column, "List", EnumSet.of(CqlType.Kind.LIST, CqlType.Kind.VECTOR), elementClass);
    }

    /** Of a {@code set}; null as a list is. */
    public <E> Set<E> getSet(String column, Class<E> elementClass) {
        Objects.requireNonNull(elementClass, "elementClass");
        return this.<Set<E>>collection(column, "Set", EnumSet.of(CqlType.Kind.SET), elementClass);
    }

    /** Of a {@code map}; null as a list is. */
    public <K, V> Map<K, V> getMap(String column, Class<K> keyClass, Class<V> valueClass) {
        Objects.requireNonNull(keyClass, "keyClass");
        Objects.requireNonNull(valueClass, "valueClass");
        return this.<Map<K, V>>collection(column, "Map", EnumSet.of(CqlType.Kind.MAP), keyClass, valueClass);
    }

    private <T> T present(String column, Class<T> javaClass) {
        T value = value(column, javaClass);
        if (value == null) {
            throw new IllegalStateException("column has no value, table=" + schema.qualifiedName() + ", column="
                    + column + ", type=" + type(column).cqlName());
        }
        return value;
    }

    private <T> T collection(String column, String name, Set<CqlType.Kind> kinds, Class<?>... classes) {
        CqlType type = type(column);
        boolean fits = kinds.contains(type.kind());
        for (int i = 0; fits && i < classes.length; i++) {
            fits = classes[i].isAssignableFrom(
                    JavaValues.javaClass(type.components().get(i)));
        }
        if (!fits) {
            String asked = List.of(classes).stream().map(Class::getSimpleName).collect(Collectors.joining(", "));
            throw misfit(column, type, name + "<" + asked + ">");
        }
        @SuppressWarnings("unchecked") // by the type's components
        T value = (T) values.get(column);
        return value;
    }

    private ClassCastException misfit(String column, CqlType type, String asked) {
        return new ClassCastException("column is of another type, table=" + schema.qualifiedName() + ", column="
                + column + ", type=" + type.cqlName() + ", class="
                + JavaValues.javaClass(type).getSimpleName() + ", asked=" + asked);
    }

    private CqlType type(String column) {
        requireColumn(column);
        return schema.column(column).map(Column::type).orElseThrow().ascending();
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
        Objects.requireNonNull(column, "column");
        if (!values.containsKey(column)) {
            throw new IllegalArgumentException(
                    "table has no such column, table=" + schema.qualifiedName() + ", column=" + column);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TableRow row && values.equals(row.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** The values by column, blobs in hexadecimal digits, of which long ones are cut. */
    @Override
    public String toString() {
        return text(values);
    }

    private static String text(Object value) {
        if (value instanceof ByteBuffer buffer) {
            return hex(buffer);
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> text(entry.getKey()) + "=" + text(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof Collection<?> elements) {
            return elements.stream().map(TableRow::text).collect(Collectors.joining(", ", "[", "]"));
        }
        return String.valueOf(value);
    }

    private static String hex(ByteBuffer buffer) {
        int lengthBytes = buffer.remaining();
        byte[] shown = new byte[Math.min(lengthBytes, SHOWN_BYTES_MAX)];
        buffer.get(shown);
        String digits = "0x" + HexFormat.of().formatHex(shown);
        return shown.length < lengthBytes ? digits + "... (" + lengthBytes + " bytes)" : digits;
    }
}
