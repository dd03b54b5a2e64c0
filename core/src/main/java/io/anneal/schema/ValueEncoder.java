package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Java objects to serialized values; {@link JavaValues} says which. */
final class ValueEncoder {
    private static final int NULL_LENGTH = -1;

    private ValueEncoder() {}

    static byte[] encode(CqlType type, Object value) {
        if (value == null) {
            throw new IllegalArgumentException("null where a value has to be, type=" + type.cqlName());
        }
        return switch (type.kind()) {
            case NATIVE -> encodeNative(type, value);
            case LIST -> elements(encodeAll(type.components().get(0), collection(type, value)));
            case SET -> set(type.components().get(0), collection(type, value));
            case MAP -> map(type, expect(type, Map.class, value));
            case TUPLE -> fields(type, collection(type, value));
            case USER_TYPE -> userType(type, value);
            case VECTOR -> vector(type, value);
            case REVERSED -> encode(type.ascending(), value);
        };
    }

    private static <T> T expect(CqlType type, Class<T> javaClass, Object value) {
        if (!javaClass.isInstance(value)) {
            throw misfit(type, javaClass.getSimpleName(), value);
        }
        return javaClass.cast(value);
    }

    private static IllegalArgumentException misfit(CqlType type, String expected, Object value) {
        return new IllegalArgumentException("Java value does not fit its type, type=" + type.cqlName() + ", expected="
                + expected + ", found=" + value.getClass().getName());
    }

    private static byte[] encodeNative(CqlType type, Object value) {
        return switch (type.cqlName()) {
            case "ascii", "text" -> text(expect(type, String.class, value));
            case "tinyint" -> number(integral(type, value), 1);
            case "smallint" -> number(integral(type, value), Short.BYTES);
            case "int" -> number(integral(type, value), Integer.BYTES);
            case "bigint" -> number(integral(type, value), Long.BYTES);
            case "varint" -> integral(type, value).toByteArray();
            case "float" -> number(Float.floatToRawIntBits((float) floating(type, value, true)), Float.BYTES);
            case "double" -> number(Double.doubleToRawLongBits(floating(type, value, false)), Double.BYTES);
            case "decimal" -> decimal(type, value);
            case "boolean" -> new byte[] {(byte) (expect(type, Boolean.class, value) ? 1 : 0)};
            case "blob" -> blob(type, value);
            case "timestamp" -> number(expect(type, Instant.class, value).toEpochMilli(), Long.BYTES);
            case "date" -> date(expect(type, LocalDate.class, value));
            case "time" -> number(expect(type, LocalTime.class, value).toNanoOfDay(), Long.BYTES);
            case "duration" -> duration(expect(type, CqlDuration.class, value));
            case "inet" -> expect(type, InetAddress.class, value).getAddress();
            case "empty" -> new byte[0];
            case "counter" ->
                throw new IllegalArgumentException(
                        "a counter is written as the shard of a node, not as a number, type=counter, found="
                                + value.getClass().getName());
            default -> uuid(expect(type, UUID.class, value));
        };
    }

    /** Half a surrogate pair would come back as a question mark. */
    private static byte[] text(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!Character.isSurrogate(text.charAt(i))) {
                continue;
            }
            boolean paired = i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
            if (!paired) {
                throw new InvalidValueException("text has half a surrogate pair, which UTF-8 cannot hold, index=" + i);
            }
            i++;
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] number(long value, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            bytes[lengthBytes - 1 - i] = (byte) (value >> 8 * i);
        }
        return bytes;
    }

    private static byte[] number(BigInteger value, int lengthBytes) {
        if (value.bitLength() >= lengthBytes * Byte.SIZE) {
            throw new IllegalArgumentException(
                    "number does not fit its type, number=" + value + ", lengthBytes=" + lengthBytes);
        }
        return number(value.longValue(), lengthBytes);
    }

    private static BigInteger integral(CqlType type, Object value) {
        if (value instanceof BigInteger big) {
            return big;
        }
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return BigInteger.valueOf(((Number) value).longValue());
        }
        String fractions = type.cqlName().equals("decimal") ? "BigDecimal or " : "";
        throw misfit(type, fractions + "an integral number", value);
    }

    private static double floating(CqlType type, Object value, boolean narrow) {
        if (value instanceof Float || value instanceof Double && !narrow) {
            return ((Number) value).doubleValue();
        }
        double number = expect(type, Number.class, value).doubleValue();
        boolean exact = Double.isNaN(number)
                || (!narrow || (double) (float) number == number)
                        && (Double.isInfinite(number)
                                || value instanceof Double
                                || new BigDecimal(number).compareTo(new BigDecimal(value.toString())) == 0);
        if (!exact) {
            throw new IllegalArgumentException(
                    "number does not fit its type exactly, type=" + type.cqlName() + ", number=" + value);
        }
        return number;
    }

    private static byte[] decimal(CqlType type, Object value) {
        BigDecimal decimal = value instanceof BigDecimal given ? given : new BigDecimal(integral(type, value));
        byte[] unscaled = decimal.unscaledValue().toByteArray();
        return ByteBuffer.allocate(Integer.BYTES + unscaled.length)
                .putInt(decimal.scale())
                .put(unscaled)
                .array();
    }

    private static byte[] blob(CqlType type, Object value) {
        if (value instanceof byte[] bytes) {
            return bytes.clone();
        }
        ByteBuffer buffer = expect(type, ByteBuffer.class, value).duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] date(LocalDate date) {
        long days = date.toEpochDay();
        return number(Math.toIntExact(days) - Integer.MIN_VALUE, Integer.BYTES);
    }

    private static byte[] duration(CqlDuration duration) {
        ByteWriter out = new ByteWriter(16);
        out.writeSignedVInt(duration.months());
        out.writeSignedVInt(duration.days());
        out.writeSignedVInt(duration.nanos());
        return out.toByteArray();
    }

    private static byte[] uuid(UUID uuid) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    private static Collection<?> collection(CqlType type, Object value) {
        return expect(type, Collection.class, value);
    }

    private static List<byte[]> encodeAll(CqlType element, Collection<?> values) {
        List<byte[]> encoded = new ArrayList<>(values.size());
        for (Object value : values) {
            encoded.add(encode(element, value));
        }
        return encoded;
    }

    private static byte[] set(CqlType element, Collection<?> values) {
        TreeMap<byte[], byte[]> sorted = new TreeMap<>(order(element));
        encodeAll(element, values).forEach(value -> sorted.put(value, value));
        return elements(List.copyOf(sorted.values()));
    }

    private static byte[] map(CqlType type, Map<?, ?> values) {
        TreeMap<byte[], byte[]> sorted = new TreeMap<>(order(type.components().get(0)));
        values.forEach((key, value) -> sorted.put(
                encode(type.components().get(0), key), encode(type.components().get(1), value)));
        ByteWriter out = new ByteWriter(64);
        out.writeInt(sorted.size());
        sorted.forEach((key, value) -> {
            element(key, out);
            element(value, out);
        });
        return out.toByteArray();
    }

    private static Comparator<byte[]> order(CqlType type) {
        return (left, right) -> type.compare(left, 0, left.length, right, 0, right.length);
    }

    private static byte[] elements(List<byte[]> encoded) {
        ByteWriter out = new ByteWriter(64);
        out.writeInt(encoded.size());
        encoded.forEach(value -> element(value, out));
        return out.toByteArray();
    }

    private static void element(byte[] value, ByteWriter out) {
        out.writeInt(value.length);
        out.writeBytes(value);
    }

    private static byte[] fields(CqlType type, Collection<?> values) {
        List<CqlType> fields = type.components();
        if (values.size() > fields.size()) {
            throw new IllegalArgumentException("more values than fields, type=" + type.cqlName() + ", fields="
                    + fields.size() + ", values=" + values.size());
        }
        ByteWriter out = new ByteWriter(64);
        int i = 0;
        for (Object value : values) {
            CqlType field = fields.get(i++);
            if (value == null) {
                out.writeInt(NULL_LENGTH);
            } else {
                element(encode(field, value), out);
            }
        }
        for (; i < fields.size(); i++) {
            out.writeInt(NULL_LENGTH);
        }
        return out.toByteArray();
    }

    private static byte[] userType(CqlType type, Object value) {
        Map<?, ?> byName = expect(type, Map.class, value);
        for (Object name : byName.keySet()) {
            if (!type.fieldNames().contains(name)) {
                throw new IllegalArgumentException(
                        "user-defined type has no such field, type=" + type.cqlName() + ", field=" + name);
            }
        }
        List<Object> values = new ArrayList<>();
        type.fieldNames().forEach(name -> values.add(byName.get(name)));
        return fields(type, values);
    }

    private static byte[] vector(CqlType type, Object value) {
        List<Object> values = new ArrayList<>();
        if (value instanceof float[] floats) {
            for (float number : floats) {
                values.add(number);
            }
        } else {
            values.addAll(collection(type, value));
        }
        if (values.size() != type.dimension()) {
            throw new IllegalArgumentException("vector has another number of elements than its type, type="
                    + type.cqlName() + ", elements=" + values.size());
        }
        CqlType element = type.components().get(0);
        ByteWriter out = new ByteWriter(64);
        for (byte[] encoded : encodeAll(element, values)) {
            if (element.fixedLengthBytes() == CqlType.VARIABLE_LENGTH) {
                out.writeUnsignedVInt(encoded.length);
            }
            out.writeBytes(encoded);
        }
        return out.toByteArray();
    }
}
