package io.anneal.schema;

import java.util.Objects;

/**
 * Values of CQL types as Java objects, both ways. For those who want values, not speed: allocates freely.
 *
 * <table>
 * <caption>What is given and taken</caption>
 * <tr><td>ascii, text</td><td>{@link String}</td></tr>
 * <tr><td>tinyint, smallint, int, bigint, varint</td><td>{@link Byte}, {@link Short}, {@link Integer}, {@link Long},
 *     {@link java.math.BigInteger}; any of them is taken that fits</td></tr>
 * <tr><td>float, double, decimal</td><td>{@link Float}, {@link Double}, {@link java.math.BigDecimal}; for the first two
 *     any number is taken that they hold exactly</td></tr>
 * <tr><td>boolean</td><td>{@link Boolean}</td></tr>
 * <tr><td>blob</td><td>{@link java.nio.ByteBuffer}; {@code byte[]} is taken, too</td></tr>
 * <tr><td>timestamp</td><td>{@link java.time.Instant}, its fraction of a millisecond cut off</td></tr>
 * <tr><td>date, time</td><td>{@link java.time.LocalDate}, {@link java.time.LocalTime}</td></tr>
 * <tr><td>duration</td><td>{@link CqlDuration}</td></tr>
 * <tr><td>uuid, timeuuid</td><td>{@link java.util.UUID}</td></tr>
 * <tr><td>inet</td><td>{@link java.net.InetAddress}</td></tr>
 * <tr><td>counter</td><td>{@link Long}, the total; only given, since a count is no shard</td></tr>
 * <tr><td>list, vector</td><td>{@link java.util.List}; for a vector {@code float[]} is taken, too</td></tr>
 * <tr><td>set, map</td><td>{@link java.util.Set}, {@link java.util.Map}, in the type's order</td></tr>
 * <tr><td>tuple</td><td>{@link java.util.List}, with null for a field that is</td></tr>
 * <tr><td>user-defined type</td><td>{@link java.util.Map} by field name, with null for a field that is</td></tr>
 * </table>
 *
 * <p>The empty value, which most types have beside null, reads as null where Java has no word for it. What is given is immutable: it is
 * only read, and a blob within a collection comes with a position of its own each time.
 */
public final class JavaValues {
    private JavaValues() {}

    /**
     * The serialized form of a value; of a multi-cell type as if it were frozen.
     *
     * @throws IllegalArgumentException when it is none of the type: names the type and the class
     */
    public static byte[] toBytes(CqlType type, Object value) {
        Objects.requireNonNull(type, "type");
        CqlType single = type.ascending().frozen();
        try {
            byte[] bytes = ValueEncoder.encode(single, value);
            single.validate(bytes, 0, bytes.length);
            return bytes;
        } catch (InvalidValueException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "Java value does not fit its type, type=" + type.cqlName() + ", reason=" + e.getMessage(), e);
        }
    }

    /** The class, or interface, of which the values of a type are given. */
    public static Class<?> javaClass(CqlType type) {
        Objects.requireNonNull(type, "type");
        return ValueDecoder.javaClass(type);
    }

    /**
     * The value of serialized bytes; of a multi-cell type as if it were frozen.
     *
     * @return null for an empty value of a type whose Java class has none
     * @throws InvalidValueException when the bytes are no value of the type
     */
    public static Object fromBytes(CqlType type, byte[] buffer, int offset, int length) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(buffer, "buffer");
        CqlType single = type.ascending().frozen();
        if (length > 0) {
            single.validate(buffer, offset, length);
        }
        return ValueDecoder.decode(single, buffer, offset, length);
    }
}
