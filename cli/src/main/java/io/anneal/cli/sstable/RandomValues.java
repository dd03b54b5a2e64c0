package io.anneal.cli.sstable;

import io.anneal.io.ByteWriter;
import io.anneal.schema.CounterContext;
import io.anneal.schema.CqlType;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;

/** Random valid values of any type, as they are serialized. One thread. */
final class RandomValues {
    private static final int ELEMENTS_MAX = 4;
    /** 2020-01-01. */
    private static final long INSTANT_MIN_MILLIS = 1_577_836_800_000L;

    private static final long INSTANT_SPREAD_MILLIS = 5L * 365 * 24 * 3600 * 1000;
    private static final long DAY_NANOS = 24L * 3600 * 1_000_000_000L;
    private static final int EPOCH_DAYS = 18_262;
    /** Years of ticks from 2020 on, in time UUIDs. */
    private static final long TICKS_MIN = INSTANT_MIN_MILLIS * 10_000 + 0x01B21DD213814000L;

    /** How many collections may lie one in another that all have many elements. */
    private static final int NESTING_OF_MANY = 4;

    private final int lengthBytes;

    /** @param lengthBytes of texts and blobs on average */
    RandomValues(int lengthBytes) {
        this.lengthBytes = lengthBytes;
    }

    byte[] next(CqlType type, SplittableRandom random) {
        ByteWriter out = new ByteWriter(32);
        append(type.ascending(), random, out);
        return out.toByteArray();
    }

    private void append(CqlType type, SplittableRandom random, ByteWriter out) {
        switch (type.kind()) {
            case NATIVE -> appendNative(type, random, out);
            case LIST -> {
                int count = count(type.components().get(0), random);
                out.writeInt(count);
                for (int i = 0; i < count; i++) {
                    element(type.components().get(0), random, out);
                }
            }
            case SET, MAP -> {
                TreeSet<byte[]> keys = keys(type.components().get(0), random);
                out.writeInt(keys.size());
                for (byte[] key : keys) {
                    out.writeInt(key.length);
                    out.writeBytes(key);
                    if (type.kind() == CqlType.Kind.MAP) {
                        element(type.components().get(1), random, out);
                    }
                }
            }
            case TUPLE, USER_TYPE -> type.components().forEach(field -> element(field, random, out));
            case VECTOR -> {
                CqlType element = type.components().get(0);
                for (int i = 0; i < type.dimension(); i++) {
                    byte[] value = next(element, random);
                    if (element.fixedLengthBytes() == CqlType.VARIABLE_LENGTH) {
                        out.writeUnsignedVInt(value.length);
                    }
                    out.writeBytes(value);
                }
            }
            case REVERSED -> append(type.ascending(), random, out);
        }
    }

    /** Of elements of a type: where each has many itself, at most one, or values would grow with the power of the nesting. */
    private static int count(CqlType element, SplittableRandom random) {
        return random.nextInt((nesting(element) < NESTING_OF_MANY ? ELEMENTS_MAX : 1) + 1);
    }

    private static int nesting(CqlType type) {
        int within =
                type.components().stream().mapToInt(RandomValues::nesting).max().orElse(0);
        return switch (type.kind()) {
            case LIST, SET, MAP -> within + 1;
            default -> within;
        };
    }

    /** Distinct values in their order: of a set, or the keys of a map. */
    TreeSet<byte[]> keys(CqlType type, SplittableRandom random) {
        Comparator<byte[]> order = (left, right) -> type.compare(left, 0, left.length, right, 0, right.length);
        TreeSet<byte[]> keys = new TreeSet<>(order);
        for (int i = count(type, random); i > 0; i--) {
            keys.add(next(type, random));
        }
        return keys;
    }

    private void element(CqlType type, SplittableRandom random, ByteWriter out) {
        byte[] value = next(type, random);
        out.writeInt(value.length);
        out.writeBytes(value);
    }

    private void appendNative(CqlType type, SplittableRandom random, ByteWriter out) {
        switch (type.cqlName()) {
            case "ascii", "text" -> {
                for (int i = length(random); i > 0; i--) {
                    out.writeByte('a' + random.nextInt(26));
                }
            }
            case "blob" -> {
                byte[] bytes = new byte[length(random)];
                random.nextBytes(bytes);
                out.writeBytes(bytes);
            }
            case "boolean" -> out.writeByte(random.nextInt(2));
            case "tinyint" -> out.writeByte(random.nextInt());
            case "smallint" -> out.writeShort(random.nextInt());
            case "int" -> out.writeInt(random.nextInt());
            case "bigint" -> out.writeLong(random.nextLong());
            case "varint" -> varint(random, out);
            case "decimal" -> {
                out.writeInt(random.nextInt(6));
                varint(random, out);
            }
            case "float" -> out.writeInt(Float.floatToIntBits((float) (random.nextDouble() * 2e6 - 1e6)));
            case "double" -> out.writeLong(Double.doubleToLongBits(random.nextDouble() * 2e12 - 1e12));
            case "date" -> out.writeInt(Integer.MIN_VALUE + EPOCH_DAYS + random.nextInt(5 * 365));
            case "time" -> out.writeLong(random.nextLong(DAY_NANOS));
            case "timestamp" -> out.writeLong(INSTANT_MIN_MILLIS + random.nextLong(INSTANT_SPREAD_MILLIS));
            case "duration" -> {
                out.writeSignedVInt(random.nextInt(24));
                out.writeSignedVInt(random.nextInt(31));
                out.writeSignedVInt(random.nextLong(DAY_NANOS));
            }
            case "inet" -> {
                byte[] address = new byte[random.nextInt(4) == 0 ? 16 : 4];
                random.nextBytes(address);
                out.writeBytes(address);
            }
            case "timeuuid" -> timeUuid(random, out);
            case "counter" ->
                out.writeBytes(CounterContext.global(new UUID(0x4000L, 1L << 63), 1, random.nextInt(1000)));
            case "empty" -> {
                // Has no bytes.
            }
            default -> {
                out.writeLong(random.nextLong() & ~0xF000L | 0x4000L);
                out.writeLong(random.nextLong() & ~(0xC000L << 48) | 0x8000L << 48);
            }
        }
    }

    private int length(SplittableRandom random) {
        return 1 + random.nextInt(Math.max(1, 2 * lengthBytes - 1));
    }

    private static void varint(SplittableRandom random, ByteWriter out) {
        byte[] number = BigInteger.valueOf(random.nextLong() >> random.nextInt(Long.SIZE))
                .toByteArray();
        out.writeBytes(number);
    }

    private static void timeUuid(SplittableRandom random, ByteWriter out) {
        long ticks = TICKS_MIN + random.nextLong(INSTANT_SPREAD_MILLIS * 10_000);
        out.writeLong(ticks << 32 | ticks >>> 16 & 0xFFFF0000L | 0x1000L | ticks >>> 48 & 0xFFF);
        out.writeLong(random.nextLong() & ~(0xC000L << 48) | 0x8000L << 48);
    }
}
