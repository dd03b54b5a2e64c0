package io.anneal.testkit;

import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A type with a source of valid serialized values. A source draws from few values, so that two draws often meet: what
 * merging needs to have something to decide.
 *
 * @param paths source of cell paths of a multi-cell type, else null
 */
record ValueKind(
        CqlType type,
        Function<SplittableRandom, byte[]> values,
        Function<SplittableRandom, byte[]> paths,
        boolean orderable) {
    private static final int FEW = 40;
    private static final byte[] NOTHING = new byte[0];

    private static ValueKind plain(CqlType type, Function<SplittableRandom, byte[]> values) {
        return new ValueKind(type, values, null, true);
    }

    static final List<ValueKind> NATIVE = List.of(
            plain(CqlTypes.INT, r -> bytes(r.nextInt(-FEW, FEW), 4)),
            plain(CqlTypes.TEXT, ValueKind::text),
            plain(CqlTypes.BIGINT, r -> bytes(r.nextLong(-FEW, FEW), 8)),
            plain(CqlTypes.BLOB, r -> blob(r, r.nextInt(5))),
            plain(CqlTypes.ASCII, ValueKind::text),
            plain(CqlTypes.BOOLEAN, r -> bytes(r.nextInt(2), 1)),
            plain(CqlTypes.DATE, r -> bytes(Integer.MIN_VALUE + 19_000 + r.nextInt(FEW), 4)),
            plain(CqlTypes.TIMESTAMP, r -> bytes(1_700_000_000_000L + r.nextInt(FEW) * 1000L, 8)),
            plain(CqlTypes.TIME, r -> bytes(r.nextInt(FEW) * 3_600_000_000L % 86_400_000_000_000L, 8)),
            plain(CqlTypes.TIMEUUID, ValueKind::timeUuid),
            plain(
                    CqlTypes.UUID,
                    r -> join(bytes(r.nextInt(FEW), 6), bytes(0x4000, 2), bytes(0x8000_0000_0000_0001L, 8))),
            plain(CqlTypes.SMALLINT, r -> bytes(r.nextInt(-FEW, FEW), 2)),
            plain(CqlTypes.TINYINT, r -> bytes(r.nextInt(-FEW, FEW), 1)),
            plain(CqlTypes.FLOAT, r -> bytes(Float.floatToIntBits(r.nextInt(-FEW, FEW) / 4f), 4)),
            plain(CqlTypes.DOUBLE, r -> bytes(Double.doubleToLongBits(r.nextInt(-FEW, FEW) / 4d), 8)),
            plain(CqlTypes.VARINT, r -> bytes(r.nextInt(-FEW, FEW), 1)),
            plain(CqlTypes.DECIMAL, r -> join(bytes(r.nextInt(3), 4), bytes(r.nextInt(-FEW, FEW), 1))),
            plain(CqlTypes.INET, r -> bytes(0x7f000001 + r.nextInt(FEW), 4)));

    private static final ValueKind DURATION = new ValueKind(
            CqlTypes.DURATION,
            r -> new byte[] {(byte) (2 * r.nextInt(12)), (byte) (2 * r.nextInt(30)), (byte) (2 * r.nextInt(60))},
            null,
            false);

    static ValueKind anyNative(SplittableRandom random) {
        return NATIVE.get(random.nextInt(NATIVE.size()));
    }

    /** Any type of one value or of many cells. */
    static ValueKind any(SplittableRandom random, String keyspace, int number) {
        ValueKind first = anyNative(random);
        ValueKind second = anyNative(random);
        return switch (random.nextInt(12)) {
            case 0 -> new ValueKind(CqlTypes.list(first.type), first.values, ValueKind::timeUuid, false);
            case 1 -> new ValueKind(CqlTypes.set(first.type), r -> NOTHING, first.values, false);
            case 2 -> new ValueKind(CqlTypes.map(first.type, second.type), second.values, first.values, false);
            case 3 -> userType(keyspace, "t" + number, first);
            case 4 -> new ValueKind(CqlTypes.list(first.type).frozen(), r -> frozenList(r, first), null, false);
            case 5 -> new ValueKind(CqlTypes.set(first.type).frozen(), r -> frozenSet(r, first), null, false);
            case 6 ->
                new ValueKind(
                        CqlTypes.tuple(List.of(first.type, second.type)),
                        r -> tuple(r, List.of(first, second)),
                        null,
                        false);
            case 7 -> DURATION;
            default -> first;
        };
    }

    /** A user type whose fields are all of one type, since a cell's value has to fit its path. */
    private static ValueKind userType(String keyspace, String name, ValueKind field) {
        CqlType type =
                CqlTypes.userType(keyspace, name, List.of("a", "b", "c"), List.of(field.type, field.type, field.type));
        return new ValueKind(type, field.values, r -> bytes(r.nextInt(3), 2), false);
    }

    private static byte[] text(SplittableRandom random) {
        int length = random.nextInt(4);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(3)));
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    static byte[] blob(SplittableRandom random, int length) {
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
            value[i] = (byte) random.nextInt(-2, 2);
        }
        return value;
    }

    private static byte[] timeUuid(SplittableRandom random) {
        return join(bytes(0x1000_0000 + random.nextInt(FEW), 4), bytes(0x11ee, 4), bytes(0x8080_0000_0000_0001L, 8));
    }

    private static byte[] frozenList(SplittableRandom random, ValueKind element) {
        List<byte[]> values = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.add(element.values.apply(random));
        }
        return collection(values);
    }

    private static byte[] frozenSet(SplittableRandom random, ValueKind element) {
        TreeMap<byte[], byte[]> values = new TreeMap<>(element.order());
        for (int i = random.nextInt(4); i > 0; i--) {
            byte[] value = element.values.apply(random);
            values.put(value, value);
        }
        return collection(List.copyOf(values.values()));
    }

    private static byte[] collection(List<byte[]> values) {
        byte[] all = bytes(values.size(), 4);
        for (byte[] value : values) {
            all = join(all, bytes(value.length, 4), value);
        }
        return all;
    }

    private static byte[] tuple(SplittableRandom random, List<ValueKind> fields) {
        byte[] all = NOTHING;
        for (ValueKind field : fields) {
            byte[] value = field.values.apply(random);
            all = random.nextInt(5) == 0 ? join(all, bytes(-1, 4)) : join(all, bytes(value.length, 4), value);
        }
        return all;
    }

    Comparator<byte[]> order() {
        return order(type);
    }

    static Comparator<byte[]> order(CqlType type) {
        return (left, right) -> type.compare(left, 0, left.length, right, 0, right.length);
    }

    /** The low {@code length} bytes of a number, big-endian. */
    static byte[] bytes(long value, int length) {
        byte[] bytes = new byte[length];
        for (int i = length - 1; i >= 0; i--) {
            bytes[i] = (byte) value;
            value >>= 8;
        }
        return bytes;
    }

    private static byte[] join(byte[]... parts) {
        int total = 0;
        for (byte[] part : parts) {
            total += part.length;
        }
        byte[] all = new byte[total];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }
}
