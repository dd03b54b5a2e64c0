package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PartitionerTest {
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
        for (Partitioner partitioner : Partitioner.values()) {
            assertThat(Partitioner.of(partitioner.className())).contains(partitioner);
        }
        assertThat(Partitioner.of("org.apache.cassandra.dht.OrderPreservingPartitioner"))
                .isEmpty();
        assertThat(Partitioner.of("org.apache.cassandra.dht.LocalPartitioner")).isEmpty();
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
