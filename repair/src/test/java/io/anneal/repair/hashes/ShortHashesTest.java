package io.anneal.repair.hashes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

class ShortHashesTest {
    private static byte[] encoded(ShortHashes hashes) {
        ByteWriter out = new ByteWriter(64);
        hashes.encode(out);
        return out.toByteArray();
    }

    @Test
    void shouldReadWhatItWroteForAnyNumberAndAnyBits() {
        long seed = Long.getLong("anneal.seed", ThreadLocalRandom.current().nextLong());
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            int count = random.nextInt(1 << random.nextInt(12));
            int least = 7 + Integer.SIZE - Integer.numberOfLeadingZeros(count);
            int bits = least + random.nextInt(Long.SIZE - least + 1);
            long[] hashes = random.longs(count).toArray();

            ShortHashes written = ShortHashes.of(hashes, bits);
            ShortHashes read = ShortHashes.decode(new ByteReader(encoded(written)));

            assertThat(read).as("seed=%d", seed).isEqualTo(written);
            for (long hash : hashes) {
                assertThat(read.contains(hash)).as("seed=%d", seed).isTrue();
            }
        }
    }

    @Test
    void shouldTakeLittleMoreThanWhatTellsThemApart() {
        long[] hashes = new Random(7).longs(1 << 10).toArray();

        // 10 bits are in their order.
        assertThat(encoded(ShortHashes.of(hashes, 30)).length * 8.0 / hashes.length)
                .isBetween(21.0, 22.6);
    }

    @Test
    void shouldRefuseMoreThanTheBytesCanHold() {
        ByteWriter out = new ByteWriter(64);
        out.writeByte(40);
        out.writeUnsignedVInt(1 << 30);
        out.writeLong(0);

        assertThatThrownBy(() -> ShortHashes.decode(new ByteReader(out.toByteArray())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more hashes than the bytes hold");
        assertThatThrownBy(() -> ShortHashes.of(new long[1 << 10], 12))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more bits");
    }
}
