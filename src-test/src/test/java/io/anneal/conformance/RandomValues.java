package io.anneal.conformance;

import io.anneal.io.ByteWriter;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Serialized values of any type, drawn from few, so that writes meet, with the extremes among them. Two values that are
 * equal have the same bytes.
 */
final class RandomValues {
    private static final List<String> TEXTS = List.of(
            "", "a", "b", "ab", "\"quoted\" \\ back", "line\nend\ttab\u0001", "é ß 漢", "\uD83D\uDE00", "x".repeat(300));
    private static final long[] LONGS = {0, 1, -1, 2, 7, 300, 1_000_000_007, Long.MIN_VALUE, Long.MAX_VALUE};
    private static final double[] DOUBLES = {
        0,
        -0.0,
        1,
        -1.5,
        0.1,
        1e10,
        123456.789,
        Double.MIN_VALUE,
        Double.MAX_VALUE,
        Double.NaN,
        Double.NEGATIVE_INFINITY
    };
    private static final float[] FLOATS = {
        0, -0f, 1, -1.5f, 0.1f, 1e10f, 123456.79f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NaN, Float.POSITIVE_INFINITY
    };
    private static final long DAY_NANOS = 86_400_000_000_000L;
    private static final int ELEMENTS_MAX = 4;

    private final SplittableRandom random;
    private final Map<CqlType, Supplier<byte[]>> natives = new HashMap<>();

    RandomValues(SplittableRandom random) {
        this.random = random;
        natives.put(CqlTypes.ASCII, () -> "abc".substring(random.nextInt(4)).getBytes(StandardCharsets.US_ASCII));
        natives.put(CqlTypes.TEXT, () -> TEXTS.get(random.nextInt(TEXTS.size())).getBytes(StandardCharsets.UTF_8));
        natives.put(CqlTypes.BIGINT, () -> number(LONGS[random.nextInt(LONGS.length)], Long.BYTES));
        natives.put(CqlTypes.BLOB, this::blob);
        natives.put(CqlTypes.BOOLEAN, () -> number(random.nextInt(2), 1));
        natives.put(
                CqlTypes.DATE, () -> number((1L << 31) + random.nextInt(-20_000, 20_000) / 500 * 500, Integer.BYTES));
        natives.put(CqlTypes.DECIMAL, this::decimal);
        natives.put(
                CqlTypes.DOUBLE,
                () -> number(Double.doubleToLongBits(DOUBLES[random.nextInt(DOUBLES.length)]), Long.BYTES));
        natives.put(CqlTypes.DURATION, this::duration);
        natives.put(
                CqlTypes.FLOAT,
                () -> number(Float.floatToIntBits(FLOATS[random.nextInt(FLOATS.length)]), Integer.BYTES));
        natives.put(CqlTypes.INET, this::address);
        natives.put(CqlTypes.INT, () -> number(narrow(Integer.MIN_VALUE, Integer.MAX_VALUE), Integer.BYTES));
        natives.put(CqlTypes.SMALLINT, () -> number(narrow(Short.MIN_VALUE, Short.MAX_VALUE), Short.BYTES));
        natives.put(CqlTypes.TINYINT, () -> number(narrow(Byte.MIN_VALUE, Byte.MAX_VALUE), Byte.BYTES));
        natives.put(CqlTypes.TIME, () -> number(random.nextInt(8) * (DAY_NANOS / 8) + random.nextInt(2), Long.BYTES));
        natives.put(
                CqlTypes.TIMESTAMP,
                () -> number((random.nextInt(8) - 2) * 300_000_000_000L + random.nextInt(2), Long.BYTES));
        natives.put(CqlTypes.TIMEUUID, this::timeUuid);
        natives.put(CqlTypes.UUID, () -> random.nextBoolean() ? timeUuid() : uuid(0x4000));
        natives.put(
                CqlTypes.VARINT,
                () -> BigInteger.valueOf(LONGS[random.nextInt(LONGS.length)])
                        .multiply(BigInteger.valueOf(random.nextInt(3)).shiftLeft(random.nextInt(2) * 70))
                        .toByteArray());
    }

    /** A value as one piece, as it is bound; of a type of many cells as well. */
    byte[] of(CqlType type) {
        return switch (type.kind()) {
            case NATIVE -> natives.get(type).get();
            case REVERSED -> of(type.ascending());
            case LIST -> counted(elements(type.components().get(0)));
            case SET -> counted(List.copyOf(distinct(type.components().get(0))));
            case MAP -> map(type.components().get(0), type.components().get(1));
            case TUPLE, USER_TYPE -> fields(type.components());
            case VECTOR -> vector(type.components().get(0), type.dimension());
        };
    }

    private long narrow(long min, long max) {
        return random.nextInt(8) == 0 ? (random.nextBoolean() ? min : max) : random.nextInt(-3, 8);
    }

    private byte[] blob() {
        byte[] value = new byte[random.nextInt(4) == 0 ? random.nextInt(600) : random.nextInt(3)];
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) random.nextInt(-2, 2);
        }
        return value;
    }

    /** Not a multiple of ten: 2.0 and 2.00 are equal, and their bytes are not. */
    private byte[] decimal() {
        byte[] unscaled = BigInteger.valueOf(random.nextInt(-5, 5) * 10L + 1)
                .pow(1 + random.nextInt(3))
                .toByteArray();
        return ByteBuffer.allocate(Integer.BYTES + unscaled.length)
                .putInt(random.nextInt(-2, 8))
                .put(unscaled)
                .array();
    }

    private byte[] duration() {
        int sign = random.nextBoolean() ? 1 : -1;
        ByteWriter out = new ByteWriter(32);
        out.writeSignedVInt((long) sign * random.nextInt(30));
        out.writeSignedVInt((long) sign * random.nextInt(40));
        out.writeSignedVInt(sign * random.nextLong(DAY_NANOS * 2));
        return out.toByteArray();
    }

    private byte[] address() {
        byte[] value = new byte[random.nextInt(3) == 0 ? 16 : 4];
        value[0] = 127;
        value[value.length - 1] = (byte) random.nextInt(4);
        return value;
    }

    private byte[] timeUuid() {
        return uuid(0x11ee);
    }

    private byte[] uuid(int versionAndHighTime) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putInt(0x1000_0000 + random.nextInt(8))
                .putShort((short) 0x1234)
                .putShort((short) versionAndHighTime)
                .putLong(0x8080_0000_0000_0001L + random.nextInt(2))
                .array();
    }

    private List<byte[]> elements(CqlType type) {
        return IntStream.range(0, random.nextInt(ELEMENTS_MAX))
                .mapToObj(i -> of(type))
                .toList();
    }

    private TreeSet<byte[]> distinct(CqlType type) {
        TreeSet<byte[]> values =
                new TreeSet<>((left, right) -> type.compare(left, 0, left.length, right, 0, right.length));
        values.addAll(elements(type));
        return values;
    }

    private byte[] map(CqlType keyType, CqlType valueType) {
        TreeSet<byte[]> keys = distinct(keyType);
        ByteWriter out = new ByteWriter(64);
        out.writeInt(keys.size());
        for (byte[] key : keys) {
            withLength(key, out);
            withLength(of(valueType), out);
        }
        return out.toByteArray();
    }

    private static byte[] counted(List<byte[]> elements) {
        ByteWriter out = new ByteWriter(64);
        out.writeInt(elements.size());
        elements.forEach(element -> withLength(element, out));
        return out.toByteArray();
    }

    /** Some null, though never all of them, which Cassandra takes for no value at all. */
    private byte[] fields(List<CqlType> types) {
        ByteWriter out = new ByteWriter(64);
        for (int i = 0; i < types.size(); i++) {
            if (i > 0 && random.nextInt(5) == 0) {
                out.writeInt(-1);
            } else {
                withLength(of(types.get(i)), out);
            }
        }
        return out.toByteArray();
    }

    private byte[] vector(CqlType type, int dimension) {
        ByteWriter out = new ByteWriter(64);
        for (int i = 0; i < dimension; i++) {
            byte[] element = of(type);
            if (type.fixedLengthBytes() == CqlType.VARIABLE_LENGTH) {
                out.writeUnsignedVInt(element.length);
            }
            out.writeBytes(element);
        }
        return out.toByteArray();
    }

    private static void withLength(byte[] value, ByteWriter out) {
        out.writeInt(value.length);
        out.writeBytes(value);
    }

    private static byte[] number(long value, int lengthBytes) {
        byte[] all = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
        return Arrays.copyOfRange(all, Long.BYTES - lengthBytes, Long.BYTES);
    }
}
