package io.anneal.testkit;

import io.anneal.schema.CounterShards;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
    private static final int COUNTING_NODES = 4;
    private static final byte[] NOTHING = new byte[0];

    private static ValueKind plain(CqlType type, Function<SplittableRandom, byte[]> values) {
        return new ValueKind(type, values, null, true);
    }

    /** A type of one value that has no order of its own to be a key in. */
    private static ValueKind frozen(CqlType type, Function<SplittableRandom, byte[]> values) {
        return new ValueKind(type, values, null, false);
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

    private static final ValueKind DURATION = frozen(CqlTypes.DURATION, ValueKind::duration);

    static ValueKind anyNative(SplittableRandom random) {
        return NATIVE.get(random.nextInt(NATIVE.size()));
    }

    /** Any type of one value or of many cells; user types in it have names with the number. */
    static ValueKind any(SplittableRandom random, String keyspace, int number) {
        ValueKind first = anyNative(random);
        ValueKind element = random.nextInt(3) == 0 ? anyFrozen(random, keyspace, number, 1) : first;
        return switch (random.nextInt(14)) {
            case 0 -> new ValueKind(CqlTypes.list(element.type), element.values, ValueKind::timeUuid, false);
            case 1 -> new ValueKind(CqlTypes.set(first.type), r -> NOTHING, first.values, false);
            case 2 -> new ValueKind(CqlTypes.map(first.type, element.type), element.values, first.values, false);
            case 3 -> userType(keyspace, "t" + number, element);
            case 4, 5, 6, 7 -> anyFrozen(random, keyspace, number, 2);
            case 8 -> DURATION;
            default -> first;
        };
    }

    /** A collection, tuple, user type or vector of one value, with others inside it down to a depth. */
    private static ValueKind anyFrozen(SplittableRandom random, String keyspace, int number, int depth) {
        ValueKind key = anyNative(random);
        ValueKind first = anyNative(random);
        ValueKind second =
                depth > 0 && random.nextBoolean() ? anyFrozen(random, keyspace, number, depth - 1) : anyNative(random);
        List<ValueKind> both = List.of(first, second);
        return switch (random.nextInt(7)) {
            case 0 -> frozen(CqlTypes.list(second.type).frozen(), r -> frozenList(r, second));
            case 1 -> frozen(CqlTypes.set(first.type).frozen(), r -> frozenSet(r, first));
            case 2 -> frozen(CqlTypes.map(key.type, second.type).frozen(), r -> frozenMap(r, key, second));
            case 3 -> frozen(CqlTypes.tuple(List.of(first.type, second.type)), r -> tuple(r, both));
            case 4 -> {
                // What is inside was made before and has its own depth in its name.
                CqlType type = CqlTypes.userType(
                        keyspace, "f" + number + "_" + depth, List.of("x", "y"), List.of(first.type, second.type));
                yield frozen(type.frozen(), r -> tuple(r, both));
            }
            case 5 -> vector(first, 1 + random.nextInt(4));
            default -> vector(second, 1 + random.nextInt(2));
        };
    }

    private static ValueKind vector(ValueKind element, int dimension) {
        CqlType type = CqlTypes.vector(element.type, dimension);
        boolean fixed = element.type.fixedLengthBytes() != CqlType.VARIABLE_LENGTH;
        return frozen(type, r -> {
            byte[] all = NOTHING;
            for (int i = 0; i < dimension; i++) {
                byte[] value = element.values.apply(r);
                all = fixed ? join(all, value) : join(all, unsignedVInt(value.length), value);
            }
            return all;
        });
    }

    /** A length that is small enough for two bytes. */
    private static byte[] unsignedVInt(int value) {
        assert value < 1 << 14 : value;
        return value < 1 << 7 ? bytes(value, 1) : bytes(0x8000 | value, 2);
    }

    /** Months, days and nanoseconds, all of one sign, in zigzag form of one byte each or, now and then, of many. */
    private static byte[] duration(SplittableRandom random) {
        int sign = random.nextBoolean() ? 0 : 1;
        byte[] months = zigzag(random.nextInt(12), sign);
        byte[] days = zigzag(random.nextInt(30), sign);
        // Nine bytes: the longest form of a number.
        byte[] nanos = random.nextInt(4) == 0
                ? join(bytes(0xFF, 1), bytes((1L << 61) - random.nextInt(FEW) * 2L - sign, 8))
                : zigzag(random.nextInt(60), sign);
        return join(months, days, nanos);
    }

    private static byte[] zigzag(int magnitude, int sign) {
        return bytes(magnitude == 0 ? 0 : 2L * magnitude - sign, 1);
    }

    /** A counter: global shards of a few nodes, whose count follows from node and clock as it does in a cluster. */
    static byte[] counter(SplittableRandom random, boolean legacy) {
        List<CounterShards.Kind> kinds = new ArrayList<>();
        byte[] shards = NOTHING;
        int indexed = 0;
        for (int node = 0; node < COUNTING_NODES; node++) {
            if (random.nextInt(3) == 0 && !(node == COUNTING_NODES - 1 && kinds.isEmpty())) {
                continue;
            }
            CounterShards.Kind kind = legacy && random.nextInt(3) == 0
                    ? random.nextBoolean() ? CounterShards.Kind.LOCAL : CounterShards.Kind.REMOTE
                    : CounterShards.Kind.GLOBAL;
            kinds.add(kind);
            indexed += kind == CounterShards.Kind.REMOTE ? 0 : 1;
            long clock = 1 + random.nextInt(FEW);
            byte[] id = join(bytes(0x1000_0000_0000_1000L + node, 8), bytes(0x8000_0000_0000_0000L + node, 8));
            shards = join(shards, id, bytes(clock, 8), bytes(clock * 31 % 17 - 8 + node, 8));
        }
        byte[] context = new byte[CounterShards.lengthBytes(kinds.size(), indexed)];
        int at = CounterShards.writeIndexCount(indexed, context, 0);
        for (int i = 0; i < kinds.size(); i++) {
            if (kinds.get(i) != CounterShards.Kind.REMOTE) {
                at = CounterShards.writeIndex(i, kinds.get(i), context, at);
            }
        }
        System.arraycopy(shards, 0, context, at, shards.length);
        return context;
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

    private static byte[] frozenMap(SplittableRandom random, ValueKind key, ValueKind value) {
        TreeMap<byte[], byte[]> entries = new TreeMap<>(key.order());
        for (int i = random.nextInt(3); i > 0; i--) {
            entries.put(key.values.apply(random), value.values.apply(random));
        }
        byte[] all = bytes(entries.size(), 4);
        for (Map.Entry<byte[], byte[]> entry : entries.entrySet()) {
            all = join(all, bytes(entry.getKey().length, 4), entry.getKey());
            all = join(all, bytes(entry.getValue().length, 4), entry.getValue());
        }
        return all;
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
