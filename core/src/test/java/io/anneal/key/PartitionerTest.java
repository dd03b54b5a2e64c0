package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.UnsupportedTypeException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartitionerTest {
    private static final String LOCAL = "org.apache.cassandra.dht.LocalPartitioner";
    private static final long SEED = Long.getLong("anneal.seed", 42);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<byte[]> keys() {
        SplittableRandom random = new SplittableRandom(SEED);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            byte[] key = new byte[random.nextInt(1, 20)];
            random.nextBytes(key);
            keys.add(key);
        }
        return keys;
    }

    private static Comparator<byte[]> order(Partitioner partitioner) {
        return (left, right) -> new KeyView()
                .wrap(partitioner.token(left, 0, left.length), left, 0, left.length)
                .compareTo(new KeyView().wrap(partitioner.token(right, 0, right.length), right, 0, right.length));
    }

    @Test
    void shouldKnowPartitionersByTheirClassNames() {
        for (Partitioner partitioner : Partitioner.ofTables()) {
            assertThat(Partitioner.of(partitioner.className())).contains(partitioner);
        }
        assertThat(Partitioner.of("org.apache.cassandra.dht.OrderPreservingPartitioner"))
                .isEmpty();
        assertThat(Partitioner.of(LOCAL)).as("is none of a cluster").isEmpty();
        assertThat(Partitioner.of(LOCAL, List.of(CqlTypes.INT)))
                .contains(new LocalPartitioner(List.of(CqlTypes.INT)))
                .get()
                .isNotEqualTo(new LocalPartitioner(List.of(CqlTypes.TEXT)))
                .extracting(Partitioner::className, Partitioner::isOfIndexes)
                .containsExactly(LOCAL, true);
    }

    private static KeyView view(Partitioner partitioner, byte[] key) {
        return new KeyView().wrap(partitioner.token(key, 0, key.length), key, 0, key.length);
    }

    private static byte[] comparable(Partitioner partitioner, byte[] key) {
        ByteWriter out = new ByteWriter(64);
        partitioner.writeComparable(view(partitioner, key), out);
        return out.toByteArray();
    }

    private static byte[] composite(String first, int second) {
        byte[] text = bytes(first);
        return ByteBuffer.allocate(2 + text.length + 1 + 2 + Integer.BYTES + 1)
                .putShort((short) text.length)
                .put(text)
                .put((byte) 0)
                .putShort((short) Integer.BYTES)
                .putInt(second)
                .put((byte) 0)
                .array();
    }

    /** As no order of bytes has them, and in one that tries can hold. */
    @Test
    void shouldOrderKeysOfIndexesByTheirValues() {
        Partitioner numbers = Partitioner.of(LOCAL, List.of(CqlTypes.INT)).orElseThrow();
        Partitioner composites =
                Partitioner.of(LOCAL, List.of(CqlTypes.TEXT, CqlTypes.INT)).orElseThrow();
        List<byte[]> ascending = IntStream.of(Integer.MIN_VALUE, -7, -1, 0, 1, 255, 256, Integer.MAX_VALUE)
                .mapToObj(i -> ByteBuffer.allocate(Integer.BYTES).putInt(i).array())
                .toList();
        List<byte[]> pairs = List.of(
                composite("", 3), composite("a", -5), composite("a", 5), composite("aa", -9), composite("b", 0));

        assertAscending(numbers, ascending);
        assertAscending(composites, pairs);
        assertThat(numbers.tokenText(ascending.get(1))).isEqualTo("-7");
        assertThat(composites.tokenText(composite("a:b", -5))).isEqualTo("a\\:b:-5");
    }

    private static void assertAscending(Partitioner partitioner, List<byte[]> keys) {
        for (int i = 0; i < keys.size(); i++) {
            for (int j = 0; j < keys.size(); j++) {
                int expected = Integer.compare(i, j);
                byte[] left = keys.get(i);
                byte[] right = keys.get(j);
                assertThat(Integer.signum(partitioner.compare(view(partitioner, left), view(partitioner, right))))
                        .isEqualTo(expected);
                assertThat(Integer.signum(
                                Arrays.compareUnsigned(comparable(partitioner, left), comparable(partitioner, right))))
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void shouldRefuseACompositeKeyThatIsCutShort() {
        Partitioner partitioner =
                Partitioner.of(LOCAL, List.of(CqlTypes.TEXT, CqlTypes.INT)).orElseThrow();
        byte[] whole = composite("abc", 1);
        for (int length = 1; length < whole.length; length++) {
            KeyView cut = view(partitioner, Arrays.copyOf(whole, length));
            if (length == 2 + 3 + 1) {
                assertThat(partitioner.compare(cut, view(partitioner, whole))).isNegative();
            } else {
                assertThatThrownBy(() -> partitioner.compare(cut, view(partitioner, whole)))
                        .isInstanceOf(InvalidValueException.class);
            }
        }
    }

    @Test
    void shouldOrderTheKeysOfAnIndexedTableAsItsPartitions() {
        CqlType type =
                PartitionerDefinedOrder.parseClustering("org.apache.cassandra.db.marshal.PartitionerDefinedOrder("
                        + Partitioner.MURMUR3.className() + ":org.apache.cassandra.db.marshal.Int32Type)");
        List<byte[]> keys = keys();
        keys.add(new byte[0]);
        keys.sort((left, right) -> type.compare(left, 0, left.length, right, 0, right.length));

        assertThat(keys.get(0)).isEmpty();
        for (int i = 2; i < keys.size(); i++) {
            assertThat(Murmur3.token(keys.get(i - 1), 0, keys.get(i - 1).length))
                    .as("seed=" + SEED)
                    .isLessThanOrEqualTo(Murmur3.token(keys.get(i), 0, keys.get(i).length));
        }
        StringBuilder json = new StringBuilder();
        type.appendJson(new byte[] {0, 0, 0, 7}, 0, 4, json);
        assertThat(json).hasToString("7");
        assertThat(type.toText(new byte[] {0, 0, 0, 7}, 0, 4)).isEqualTo("00000007");
        assertThatThrownBy(() -> type.validate(new byte[3], 0, 3)).isInstanceOf(InvalidValueException.class);
    }

    /** Cassandra 4 leaves the columns of the key out; of several columns Cassandra 5 cannot print them. */
    @Test
    void shouldPrintKeysOfAnIndexedTableWhereCassandraCannot() {
        String begin = "org.apache.cassandra.db.marshal.PartitionerDefinedOrder(" + Partitioner.MURMUR3.className();
        CqlType unknown = PartitionerDefinedOrder.parseClustering(begin + ")");
        CqlType composite = PartitionerDefinedOrder.parseClustering(begin
                + ":org.apache.cassandra.db.marshal.CompositeType(org.apache.cassandra.db.marshal.UTF8Type,"
                + "org.apache.cassandra.db.marshal.Int32Type))");
        byte[] key = composite("a\"b", 4);
        StringBuilder json = new StringBuilder();
        unknown.appendJson(new byte[] {0, 127}, 0, 2, json);
        composite.appendJson(key, 0, key.length, json.append(' '));

        assertThat(json).hasToString("\"007f\" \"a\\\"b:4\"");
        assertThat(unknown.className()).isEqualTo(begin + ")");
        composite.validate(key, 0, key.length);
        assertThatThrownBy(() -> composite.validate(key, 0, key.length - 6)).isInstanceOf(InvalidValueException.class);
        assertThatThrownBy(() -> PartitionerDefinedOrder.parseClustering(begin.replace("Murmur3", "My") + ")"))
                .isInstanceOf(UnsupportedTypeException.class)
                .hasMessageContaining("MyPartitioner");
    }

    @Test
    void shouldOrderAsBigNumbersDoWhenRandom() throws Exception {
        MessageDigest md5 = MessageDigest.getInstance("MD5");
        List<byte[]> byToken = keys();
        byToken.sort(Comparator.comparing(key -> new BigInteger(md5.digest(key)).abs()));
        List<byte[]> ours = keys();
        ours.sort(order(Partitioner.RANDOM));
        assertThat(ours)
                .as("seed=" + SEED)
                .usingElementComparator((l, r) -> java.util.Arrays.compare(l, r))
                .containsExactlyElementsOf(byToken);
    }

    @Test
    void shouldOrderByUnsignedBytesWhenByteOrdered() {
        List<byte[]> ours = keys();
        ours.sort(order(Partitioner.BYTE_ORDERED));
        for (int i = 1; i < ours.size(); i++) {
            assertThat(java.util.Arrays.compareUnsigned(ours.get(i - 1), ours.get(i)))
                    .isNotPositive();
        }
    }

    /** The tail of a key byte by byte, each sign-extended: what eight at once must not differ from. */
    private static long tail(byte[] key) {
        long value = 0;
        for (int i = 0; i < key.length; i++) {
            value ^= (long) key[i] << Byte.SIZE * i;
        }
        return value;
    }

    @Test
    void shouldExtendTheSignOfEachByteOfATailOfEight() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 2_000; i++) {
            byte[] key = new byte[Long.BYTES];
            random.nextBytes(key);
            assertThat(Murmur3.tail(key, 0, key.length)).as("seed=" + SEED).isEqualTo(tail(key));
        }
    }

    @Test
    void shouldPrintTokensAsCassandraDoes() {
        assertThat(Partitioner.MURMUR3.tokenText(bytes("5"))).isEqualTo(Long.toString(Murmur3.token(bytes("5"), 0, 1)));
        // MD5 of "a" is 0cc175b9c0f1b6a831c399e269772661; that of "b" begins with 92 and so is negated.
        assertThat(Partitioner.RANDOM.tokenText(bytes("a")))
                .isEqualTo(new BigInteger("0cc175b9c0f1b6a831c399e269772661", 16).toString());
        assertThat(Partitioner.RANDOM.tokenText(bytes("b")))
                .isEqualTo(BigInteger.ONE
                        .shiftLeft(128)
                        .subtract(new BigInteger("92eb5ffee6ae2fec3ad71c777531578f", 16))
                        .toString());
        assertThat(Partitioner.BYTE_ORDERED.tokenText(bytes("a1"))).isEqualTo("6131");
    }
}
