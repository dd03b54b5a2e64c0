package io.anneal.repair.hashes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Arrays;
import java.util.Random;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

class WantedTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);

    private static byte[] encoded(Wanted wanted) {
        ByteWriter out = new ByteWriter(16);
        wanted.encode(out);
        return out.toByteArray();
    }

    @Test
    void shouldMeanTheSameItemsInFewBytes() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 100; seed++) {
            Random random = new Random(seed);
            long[] holder = random.longs(1 + random.nextInt(2_000)).toArray();
            HashList wanted =
                    HashList.of(Arrays.copyOf(holder, random.nextInt(holder.length + 1) >> random.nextInt(8)));
            HashList list = HashList.of(holder);
            for (Wanted said : new Wanted[] {Wanted.of(wanted, list), Wanted.of(wanted, holder.length)}) {
                byte[] bytes = encoded(said);
                Wanted read = Wanted.decode(new ByteReader(bytes));

                assertThat(read).isEqualTo(said);
                assertThat(read.in(holder).toArray()).as("seed=%d", seed).isEqualTo(wanted.toArray());
                LongPredicate among = read.among(holder);
                for (long hash : holder) {
                    assertThat(among.test(hash)).as("seed=%d", seed).isEqualTo(wanted.contains(hash));
                }
                assertThat(bytes.length).isLessThanOrEqualTo(1 + 8 * wanted.size());
            }
            assertThat(encoded(Wanted.of(wanted, list)).length)
                    .as("seed=%d", seed)
                    .isLessThanOrEqualTo(1 + 8 * ((holder.length + 63) / 64));
            assertThat(encoded(Wanted.of(list, holder.length))).hasSize(1);
        }
    }

    @Test
    void shouldSayThatItIsTheSameAsBeforeInAByte() {
        byte[] bytes = encoded(Wanted.AS_BEFORE);

        assertThat(bytes).hasSize(1);
        assertThat(Wanted.decode(new ByteReader(bytes))).isEqualTo(Wanted.AS_BEFORE);
        assertThatThrownBy(() -> Wanted.AS_BEFORE.in(new long[] {1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("before");
    }

    @Test
    void shouldRefuseWhatIsNone() {
        HashList list = HashList.of(new long[] {1, 2, 3});
        Wanted places = Wanted.of(HashList.of(new long[] {1, 3}), list);

        assertThat(places.in(list.toArray()).toArray()).containsExactly(1, 3);
        assertThatThrownBy(() -> places.in(new long[] {1, 2}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("place=2");
        assertThatThrownBy(() -> Wanted.decode(new ByteReader(new byte[] {2, 0, 0})))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Wanted.decode(new ByteReader(new byte[] {9})))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Wanted.decode(new ByteReader(new byte[9])))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
