package io.anneal.sstable.bti;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.ComparableBytes;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ComparableEncoderTest {
    private static final long SEED = Long.getLong("anneal.seed", 20_231_107);

    private final Random random = new Random(SEED);

    @Test
    void shouldWriteKeysAsCassandraDoes() throws IOException {
        int count = 0;
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                CqlType.class.getResourceAsStream("comparable-vectors.tsv"), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] fields = line.split("\t", -1);
                if (fields[0].equals("key")) {
                    count++;
                    DecoratedKey key = DecoratedKey.of(HexFormat.of().parseHex(fields[1]));
                    ByteWriter out = new ByteWriter(1);

                    ComparableEncoder.writeKey(new KeyView().wrap(key), out);

                    assertThat(key.token()).isEqualTo(Long.parseLong(fields[2]));
                    assertThat(HexFormat.of().formatHex(out.toByteArray())).isEqualTo(fields[3]);
                    assertThat((byte) new KeyView().wrap(key).secondHash())
                            .isEqualTo((byte) Integer.parseInt(fields[4], 16));
                }
            }
        }
        assertThat(count).isEqualTo(24);
    }

    @Test
    void shouldKeepTheOrderOfKeysAndBeFreeOfPrefixes() {
        List<DecoratedKey> keys = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            // Tokens that meet, so that the keys decide.
            keys.add(new DecoratedKey(random.nextInt(3) - 1, zeros(random.nextInt(5))));
        }
        for (DecoratedKey left : keys) {
            for (DecoratedKey right : keys) {
                assertSameOrder(
                        Integer.signum(left.compareTo(right)), comparable(left), comparable(right), left, right);
            }
        }
    }

    @Test
    void shouldPutATokenBeforeItsKeysAndBehindAllBelow() {
        for (int i = 0; i < 1000; i++) {
            DecoratedKey key = new DecoratedKey(random.nextInt(5), zeros(random.nextInt(3)));
            ByteWriter token = new ByteWriter(9);
            int bound = random.nextInt(5);
            ComparableEncoder.writeToken(bound, token);
            int order = Arrays.compareUnsigned(comparable(key), token.toByteArray());
            assertThat(order < 0).isEqualTo(key.token() < bound);
        }
    }

    @Test
    void shouldKeepTheOrderOfPlacesOfEveryTypeAndBeFreeOfPrefixes() {
        for (CqlType type : CqlTypes.NATIVE) {
            if (!type.isCounter()) {
                checkPlaces(List.of(type));
                checkPlaces(List.of(CqlTypes.reversed(type)));
                checkPlaces(List.of(type, CqlTypes.TEXT));
                checkPlaces(List.of(CqlTypes.reversed(type), CqlTypes.INT, type));
            }
        }
    }

    @Test
    void shouldKeepTheOrderOfPlacesOfNestedTypesAndBeFreeOfPrefixes() {
        CqlType[] leaves = {
            CqlTypes.INT,
            CqlTypes.BIGINT,
            CqlTypes.TEXT,
            CqlTypes.BLOB,
            CqlTypes.DECIMAL,
            CqlTypes.VARINT,
            CqlTypes.DOUBLE
        };
        for (CqlType leaf : leaves) {
            CqlType list = CqlTypes.list(leaf).frozen();
            CqlType set = CqlTypes.set(list).frozen();
            CqlType map = CqlTypes.map(leaf, CqlTypes.TEXT).frozen();
            CqlType tuple = CqlTypes.tuple(List.of(leaf, CqlTypes.BLOB, list));
            CqlType user = CqlTypes.userType("k", "t", List.of("a", "b"), List.of(leaf, tuple))
                    .frozen();
            CqlType vector = CqlTypes.vector(leaf, 2);
            for (CqlType type : List.of(list, set, map, tuple, user, vector)) {
                checkPlaces(List.of(type));
                checkPlaces(List.of(CqlTypes.reversed(type), leaf));
            }
        }
    }

    private record Place(Clustering prefix, int weight) {
        @Override
        public String toString() {
            StringBuilder out = new StringBuilder();
            for (int i = 0; i < prefix.size(); i++) {
                out.append(prefix.isAbsent(i) ? "null" : hex(prefix, i)).append(' ');
            }
            return out.append(weight).toString();
        }

        private static String hex(Clustering prefix, int i) {
            int offset = prefix.offset(i);
            return HexFormat.of().formatHex(prefix.buffer(), offset, offset + prefix.lengthBytes(i));
        }
    }

    private void checkPlaces(List<CqlType> types) {
        ComparableEncoder encoder = new ComparableEncoder(types);
        ClusteringComparator comparator = new ClusteringComparator(types);
        List<Place> places = new ArrayList<>();
        List<byte[]> encoded = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Place place = place(types);
            ByteWriter out = new ByteWriter(16);
            encoder.writePlace(place.prefix, place.weight, out);
            places.add(place);
            encoded.add(out.toByteArray());
        }
        for (int i = 0; i < places.size(); i++) {
            for (int j = 0; j < places.size(); j++) {
                Place left = places.get(i);
                Place right = places.get(j);
                int order = Integer.signum(comparator.compare(left.prefix, left.weight, right.prefix, right.weight));
                assertSameOrder(order, encoded.get(i), encoded.get(j), types + " " + left, right);
            }
        }
    }

    private static void assertSameOrder(int order, byte[] left, byte[] right, Object what, Object other) {
        assertThat(Integer.signum(Arrays.compareUnsigned(left, right)))
                .as("seed=%s, left=%s, right=%s", SEED, what, other)
                .isEqualTo(order);
        int common = Math.min(left.length, right.length);
        if (order != 0) {
            assertThat(Arrays.mismatch(left, right))
                    .as("prefix, seed=%s, left=%s, right=%s", SEED, what, other)
                    .isLessThan(common);
        }
    }

    private static byte[] comparable(DecoratedKey key) {
        ByteWriter out = new ByteWriter(16);
        ComparableEncoder.writeKey(new KeyView().wrap(key), out);
        return out.toByteArray();
    }

    private Place place(List<CqlType> types) {
        boolean row = random.nextBoolean();
        int size = row ? types.size() : random.nextInt(types.size() + 1);
        byte[][] values = new byte[size][];
        for (int i = 0; i < size; i++) {
            values[i] = random.nextInt(20) == 0 ? null : value(types.get(i).ascending(), true);
        }
        return new Place(Clustering.of(values), row ? 0 : random.nextBoolean() ? 1 : -1);
    }

    /** Bytes that are often zero. */
    private byte[] zeros(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (random.nextBoolean() ? 0 : random.nextInt(4) - 2);
        }
        return bytes;
    }

    private byte[] value(CqlType type, boolean emptyAllowed) {
        boolean fixedLength = type.equals(CqlTypes.TINYINT) || type.equals(CqlTypes.SMALLINT);
        if (emptyAllowed && random.nextInt(12) == 0 && !fixedLength && type.kind() != CqlType.Kind.VECTOR) {
            return new byte[0];
        }
        return switch (type.kind()) {
            case LIST, SET -> collection(type.components(), 1);
            case MAP -> collection(type.components(), 2);
            case TUPLE, USER_TYPE -> {
                ByteWriter out = new ByteWriter(16);
                int present = 1 + random.nextInt(type.components().size());
                for (int i = 0; i < present; i++) {
                    // Cassandra's translation takes an empty int within a tuple for a null, its order does not.
                    byte[] field = value(type.components().get(i), false);
                    element(random.nextInt(4) == 0 ? null : field, out);
                }
                yield out.toByteArray();
            }
            case VECTOR -> {
                ByteWriter out = new ByteWriter(16);
                CqlType element = type.components().get(0);
                for (int i = 0; i < type.dimension(); i++) {
                    byte[] value = value(element, false);
                    if (element.fixedLengthBytes() == CqlType.VARIABLE_LENGTH) {
                        out.writeUnsignedVInt(value.length);
                    }
                    out.writeBytes(value);
                }
                yield out.toByteArray();
            }
            default -> nativeValue(type);
        };
    }

    private byte[] collection(List<CqlType> elements, int elementsPerEntry) {
        ByteWriter out = new ByteWriter(16);
        int count = random.nextInt(3);
        out.writeInt(count);
        for (int i = 0; i < count * elementsPerEntry; i++) {
            element(value(elements.get(i % elements.size()), true), out);
        }
        return out.toByteArray();
    }

    private static void element(byte[] value, ByteWriter out) {
        if (value == null) {
            out.writeInt(-1);
        } else {
            out.writeInt(value.length);
            out.writeBytes(value);
        }
    }

    private byte[] nativeValue(CqlType type) {
        long number = random.nextLong() >>> random.nextInt(64);
        number = random.nextBoolean() ? number : ~number;
        return switch (type.cqlName()) {
            case "boolean", "tinyint" -> new byte[] {(byte) number};
            case "smallint" -> ByteBuffer.allocate(2).putShort((short) number).array();
            case "int", "date" -> ByteBuffer.allocate(4).putInt((int) number).array();
            case "bigint", "timestamp" -> ByteBuffer.allocate(8).putLong(number).array();
            case "time" -> ByteBuffer.allocate(8).putLong(number >>> 1).array();
            case "float" -> ByteBuffer.allocate(4).putFloat(number / 3f).array();
            case "double" -> ByteBuffer.allocate(8).putDouble(number / 3d).array();
            case "inet" -> Arrays.copyOf(zeros(4), random.nextBoolean() ? 4 : 16);
            case "uuid" -> uuid(random.nextInt(8));
            case "timeuuid" -> uuid(1);
            case "varint" -> integer();
            case "decimal" -> {
                int[] scales = {0, 1, 2, 3, -1, -2, 255, -300, 70_000, Integer.MAX_VALUE, Integer.MIN_VALUE};
                byte[] unscaled = integer();
                yield ByteBuffer.allocate(4 + unscaled.length)
                        .putInt(scales[random.nextInt(random.nextBoolean() ? 4 : scales.length)])
                        .put(unscaled)
                        .array();
            }
            default -> zeros(random.nextInt(6));
        };
    }

    private byte[] integer() {
        BigInteger number = new BigInteger(random.nextInt(90), random);
        if (random.nextInt(3) == 0) {
            number = number.multiply(BigInteger.TEN.pow(random.nextInt(6)));
        }
        byte[] bytes = (random.nextBoolean() ? number : number.negate()).toByteArray();
        if (random.nextInt(8) == 0) {
            byte[] padded = new byte[bytes.length + 2];
            Arrays.fill(padded, 0, 2, (byte) (bytes[0] >> 7));
            System.arraycopy(bytes, 0, padded, 2, bytes.length);
            return padded;
        }
        return bytes;
    }

    private byte[] uuid(int version) {
        byte[] bytes = zeros(16);
        bytes[6] = (byte) (bytes[6] & 0x0F | version << 4);
        return bytes;
    }

    @Test
    void shouldSeparateComponentsBelowAndAboveEverythingBetween() {
        assertThat(ComparableBytes.LESS_THAN_NEXT).isLessThan(ComparableBytes.TERMINATOR);
        assertThat(ComparableBytes.TERMINATOR).isLessThan(ComparableBytes.NEXT_COMPONENT_NULL);
        assertThat(ComparableBytes.GREATER_THAN_NEXT).isGreaterThan(ComparableBytes.NEXT_COMPONENT_EMPTY_REVERSED);
    }
}
