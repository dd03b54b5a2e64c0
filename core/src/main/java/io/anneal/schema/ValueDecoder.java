package io.anneal.schema;

import io.anneal.io.BufferViews;
import io.anneal.io.ByteReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Serialized values, which are valid, to Java objects; {@link JavaValues} says which. */
final class ValueDecoder {
    private ValueDecoder() {}

    static Object decode(CqlType type, byte[] buffer, int offset, int length) {
        return switch (type.kind()) {
            case NATIVE -> decodeNative(type, buffer, offset, length);
            case LIST, SET, MAP -> length == 0 ? null : collection(type, buffer, offset, length);
            case TUPLE -> length == 0 ? null : BufferViews.list(fields(type, buffer, offset, length));
            case USER_TYPE -> length == 0 ? null : userType(type, fields(type, buffer, offset, length));
            case VECTOR -> length == 0 ? null : vector(type, buffer, offset, length);
            case REVERSED -> decode(type.ascending(), buffer, offset, length);
        };
    }

    private static Object decodeNative(CqlType type, byte[] buffer, int offset, int length) {
        switch (type.cqlName()) {
            case "ascii", "text":
                return new String(buffer, offset, length, StandardCharsets.UTF_8);
            case "blob", "empty":
                return ByteBuffer.wrap(Arrays.copyOfRange(buffer, offset, offset + length))
                        .asReadOnlyBuffer();
            default:
                return length == 0 ? null : decodePresent(type, buffer, offset, length);
        }
    }

    private static Object decodePresent(CqlType type, byte[] buffer, int offset, int length) {
        return switch (type.cqlName()) {
            case "tinyint" -> buffer[offset];
            case "smallint" -> Bytes.shortAt(buffer, offset);
            case "int" -> Bytes.intAt(buffer, offset);
            case "bigint" -> Bytes.longAt(buffer, offset);
            case "varint" -> new BigInteger(buffer, offset, length);
            case "float" -> Float.intBitsToFloat(Bytes.intAt(buffer, offset));
            case "double" -> Double.longBitsToDouble(Bytes.longAt(buffer, offset));
            case "decimal" -> decimal(type, buffer, offset, length);
            case "boolean" -> buffer[offset] != 0;
            case "timestamp" -> Instant.ofEpochMilli(Bytes.longAt(buffer, offset));
            case "date" -> LocalDate.ofEpochDay(Bytes.intAt(buffer, offset) + Integer.MIN_VALUE);
            case "time" -> time(type, buffer, offset);
            case "duration" -> duration(buffer, offset, length);
            case "inet" -> address(buffer, offset, length);
            case "counter" -> new CounterShards().total(buffer, offset, length);
            default -> new UUID(Bytes.longAt(buffer, offset), Bytes.longAt(buffer, offset + Long.BYTES));
        };
    }

    /** The class of decoded values. */
    static Class<?> javaClass(CqlType type) {
        return switch (type.kind()) {
            case NATIVE -> javaClassOfNative(type.cqlName());
            case LIST, TUPLE, VECTOR -> List.class;
            case SET -> Set.class;
            case MAP, USER_TYPE -> Map.class;
            case REVERSED -> javaClass(type.ascending());
        };
    }

    private static Class<?> javaClassOfNative(String cqlName) {
        return switch (cqlName) {
            case "ascii", "text" -> String.class;
            case "blob", "empty" -> ByteBuffer.class;
            case "tinyint" -> Byte.class;
            case "smallint" -> Short.class;
            case "int" -> Integer.class;
            case "bigint", "counter" -> Long.class;
            case "varint" -> BigInteger.class;
            case "float" -> Float.class;
            case "double" -> Double.class;
            case "decimal" -> BigDecimal.class;
            case "boolean" -> Boolean.class;
            case "timestamp" -> Instant.class;
            case "date" -> LocalDate.class;
            case "time" -> LocalTime.class;
            case "duration" -> CqlDuration.class;
            case "inet" -> InetAddress.class;
            default -> UUID.class;
        };
    }

    private static BigDecimal decimal(CqlType type, byte[] buffer, int offset, int length) {
        if (length <= Integer.BYTES) {
            throw Elements.invalid("value without an unscaled number", type, buffer, offset, length);
        }
        BigInteger unscaled = new BigInteger(buffer, offset + Integer.BYTES, length - Integer.BYTES);
        return new BigDecimal(unscaled, Bytes.intAt(buffer, offset));
    }

    private static LocalTime time(CqlType type, byte[] buffer, int offset) {
        long nanos = Bytes.longAt(buffer, offset);
        if (nanos < 0 || nanos > LocalTime.MAX.toNanoOfDay()) {
            throw Elements.invalid("time is not within a day", type, buffer, offset, Long.BYTES);
        }
        return LocalTime.ofNanoOfDay(nanos);
    }

    private static CqlDuration duration(byte[] buffer, int offset, int length) {
        ByteReader reader = new ByteReader().wrap(buffer, offset, length);
        return new CqlDuration((int) reader.readSignedVInt(), (int) reader.readSignedVInt(), reader.readSignedVInt());
    }

    private static InetAddress address(byte[] buffer, int offset, int length) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(buffer, offset, offset + length));
        } catch (UnknownHostException e) {
            throw new AssertionError("length was checked", e);
        }
    }

    private static Object collection(CqlType type, byte[] buffer, int offset, int length) {
        int at = offset + Integer.BYTES;
        int end = offset + length;
        int count = Elements.count(type, buffer, offset, length);
        List<Object> values = new ArrayList<>();
        Map<Object, Object> map = new LinkedHashMap<>();
        boolean isMap = type.kind() == CqlType.Kind.MAP;
        for (int i = 0; i < count; i++) {
            int elementLength = Elements.presentLengthAt(type, buffer, at, end);
            Object element = decode(type.components().get(0), buffer, at + Integer.BYTES, elementLength);
            at = Elements.after(at, elementLength);
            if (isMap) {
                int valueLength = Elements.presentLengthAt(type, buffer, at, end);
                map.put(element, decode(type.components().get(1), buffer, at + Integer.BYTES, valueLength));
                at = Elements.after(at, valueLength);
            } else {
                values.add(element);
            }
        }
        return switch (type.kind()) {
            case MAP -> BufferViews.map(map);
            case SET -> BufferViews.set(new LinkedHashSet<>(values));
            default -> BufferViews.list(values);
        };
    }

    private static List<Object> fields(CqlType type, byte[] buffer, int offset, int length) {
        List<Object> values = new ArrayList<>();
        int at = offset;
        int end = offset + length;
        for (CqlType field : type.components()) {
            int fieldLength = at < end ? Elements.lengthAt(type, buffer, at, end) : -1;
            values.add(fieldLength < 0 ? null : decode(field, buffer, at + Integer.BYTES, fieldLength));
            at = Elements.after(at, fieldLength);
        }
        return values;
    }

    private static Map<String, Object> userType(CqlType type, List<Object> values) {
        Map<String, Object> byName = new LinkedHashMap<>();
        for (int i = 0; i < values.size(); i++) {
            byName.put(type.fieldNames().get(i), values.get(i));
        }
        return BufferViews.map(byName);
    }

    private static List<Object> vector(CqlType type, byte[] buffer, int offset, int length) {
        CqlType element = type.components().get(0);
        ByteReader reader = new ByteReader().wrap(buffer, offset, length);
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < type.dimension(); i++) {
            int elementLength = element.fixedLengthBytes() == CqlType.VARIABLE_LENGTH
                    ? reader.readUnsignedVInt32()
                    : element.fixedLengthBytes();
            int start = reader.skip(elementLength);
            values.add(decode(element, buffer, start, elementLength));
        }
        return BufferViews.list(values);
    }
}
