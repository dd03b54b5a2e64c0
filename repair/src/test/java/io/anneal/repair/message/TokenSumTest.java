package io.anneal.repair.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenSumTest {
    private static byte[] encoded(List<TokenSum> sums) {
        ByteWriter out = new ByteWriter(64);
        TokenSum.write(sums, out);
        return out.toByteArray();
    }

    private static TokenSum sum(long first, long last) {
        return new TokenSum(new TokenRange.Linear(first, last), 3, -4, 0);
    }

    private static void assertCarried(List<TokenSum> sums) {
        assertThat(TokenSum.read(new ByteReader(encoded(sums)))).isEqualTo(sums);
    }

    @Test
    void shouldCarrySumsToTheEndsOfTheRing() {
        assertCarried(List.of());
        assertCarried(List.of(new TokenSum(TokenRange.Linear.ALL, 1, 2, 0)));
        assertCarried(
                List.of(sum(Long.MIN_VALUE, Long.MIN_VALUE), sum(Long.MIN_VALUE + 1, -1), sum(0, Long.MAX_VALUE)));
        assertCarried(List.of(sum(Long.MAX_VALUE, Long.MAX_VALUE)));
    }

    @Test
    void shouldCarryAnySums() {
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        Random random = new Random(seed);
        for (int round = 0; round < 1_000; round++) {
            TreeSet<Long> ends = new TreeSet<>();
            for (int i = 2 * random.nextInt(20); i > 0 || ends.size() % 2 != 0; i--) {
                ends.add(random.nextLong() >> random.nextInt(64));
            }
            List<Long> tokens = List.copyOf(ends);
            List<TokenSum> sums = IntStream.range(0, tokens.size() / 2)
                    .mapToObj(i -> new TokenSum(
                            new TokenRange.Linear(tokens.get(2 * i), tokens.get(2 * i + 1)),
                            random.nextLong(),
                            random.nextLong(),
                            0))
                    .toList();

            assertThat(TokenSum.read(new ByteReader(encoded(sums))))
                    .as("seed=%s", seed)
                    .isEqualTo(sums);
        }
    }

    /** Parts of the ring follow one another. */
    @Test
    void shouldTakeLittleMoreThanItsSumsAndNotItsTokens() {
        List<TokenSum> parts = IntStream.range(0, 1_000)
                .mapToObj(i -> sum((long) i << 47, ((i + 1L) << 47) - 1))
                .toList();

        assertThat(encoded(parts).length).isLessThan(1_000 * 20);
    }

    @Test
    void shouldRefuseWhatIsNoSum() {
        byte[] one = encoded(List.of(sum(0, 7)));
        assertRefused(new byte[] {1, 0, 65, 1});
        assertRefused(new byte[] {1, 0, 64, 1});
        assertRefused(new byte[] {1, 0, 3, 0});
        for (int length = 0; length < one.length; length++) {
            byte[] cut = Arrays.copyOf(one, length);
            assertThatThrownBy(() -> TokenSum.read(new ByteReader(cut))).isInstanceOf(RuntimeException.class);
        }
        byte[] many = one.clone();
        many[0] = 100;
        assertThatThrownBy(() -> TokenSum.read(new ByteReader(many))).isInstanceOf(RuntimeException.class);
        ByteWriter overlapping = new ByteWriter(64);
        overlapping.writeUnsignedVInt(2);
        for (int i = 0; i < 2; i++) {
            overlapping.writeUnsignedVInt(0);
            overlapping.writeByte(0);
            overlapping.writeUnsignedVInt(1);
            overlapping.writeLong(1);
            overlapping.writeLong(1);
        }
        assertThatThrownBy(() -> TokenSum.read(new ByteReader(overlapping.toByteArray())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("do not ascend");
    }

    private static void assertRefused(byte[] content) {
        assertThatThrownBy(() -> TokenSum.read(new ByteReader(content)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no tokens");
    }
}
