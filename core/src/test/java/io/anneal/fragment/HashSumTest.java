package io.anneal.fragment;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HashSumTest {
    private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(128);

    private static BigInteger number(long low, long high) {
        return new BigInteger(
                1, ByteBuffer.allocate(16).putLong(high).putLong(low).array());
    }

    @Test
    void shouldSumModulo128BitsAndTakeOutAgain() {
        SplittableRandom random = new SplittableRandom(7);
        HashSum sum = new HashSum();
        BigInteger expected = BigInteger.ZERO;
        for (int i = 0; i < 1000; i++) {
            long low = i % 5 == 0 ? -1 : i % 7 == 0 ? 0 : random.nextLong();
            long high = i % 6 == 0 ? -1 : random.nextLong();
            sum.add(low, high);
            expected = expected.add(number(low, high)).mod(MODULUS);
            if (i % 3 == 0) {
                long goneLow = i % 9 == 0 ? 0 : random.nextLong();
                long goneHigh = random.nextLong();
                sum.subtract(goneLow, goneHigh);
                expected = expected.subtract(number(goneLow, goneHigh)).mod(MODULUS);
            }
            assertThat(number(sum.low(), sum.high())).as("i=%d", i).isEqualTo(expected);
        }
    }

    @Test
    void shouldBeTheSameInAnyOrderAndSplit() {
        HashSum all = new HashSum();
        HashSum left = new HashSum();
        HashSum right = new HashSum();
        ItemHash hash = new ItemHash(42);
        for (int i = 0; i < 100; i++) {
            hash.hash(new byte[] {(byte) i, 1, 2, 3}, 0, 4);
            all.add(hash);
        }
        for (int i = 99; i >= 0; i--) {
            hash.hash(new byte[] {9, (byte) i, 1, 2, 3}, 1, 4);
            (i % 3 == 0 ? left : right).add(hash);
        }
        left.add(right);
        assertThat(left.sameAs(all)).isTrue();
        assertThat(left.count()).isEqualTo(100);
        left.subtract(hash.low(), hash.high());
        assertThat(left.sameAs(all)).isFalse();
        left.clear();
        assertThat(left.sameAs(new HashSum())).isTrue();
    }

    @Test
    void shouldHashAsXxh3DoesElsewhere() {
        // From the reference implementation: XXH3_128bits of nothing, printed high half first.
        ItemHash hash = new ItemHash(0);
        hash.hash(new byte[0], 0, 0);
        assertThat(Long.toHexString(hash.high())).isEqualTo("99aa06d3014798d8");
        assertThat(Long.toHexString(hash.low())).isEqualTo("6001c324468d497f");
        byte[] abc = "abc".getBytes(StandardCharsets.UTF_8);
        hash.hash(abc, 0, 3);
        assertThat(number(hash.low(), hash.high()).toString(16)).isEqualTo("6b05ab6733a618578af5f94892f3950");
    }
}
