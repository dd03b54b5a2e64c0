package io.anneal.repair.hashes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SketchTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    /** Two sets: what both have, and what each has alone. */
    private record Sets(long[] theirs, long[] own, long[] theirsAlone, long[] ownAlone) {
        static Sets random(Random random, int common, int theirs, int own) {
            long[] all = random.longs((long) common + theirs + own).toArray();
            long[] theirSet = Arrays.copyOf(all, common + theirs);
            long[] theirsAlone = Arrays.copyOfRange(all, common, common + theirs);
            long[] ownAlone = Arrays.copyOfRange(all, common + theirs, all.length);
            long[] ownSet = Arrays.copyOf(all, common + own);
            System.arraycopy(ownAlone, 0, ownSet, common, own);
            return new Sets(theirSet, ownSet, theirsAlone, ownAlone);
        }

        HashDifference difference() {
            return new HashDifference(HashList.of(theirsAlone), HashList.of(ownAlone));
        }

        int size() {
            return theirsAlone.length + ownAlone.length;
        }
    }

    private static void shouldFind(SketchDecoder decoder, Sets sets, Object what) {
        assertThat(decoder.theirs().toArray())
                .as("%s", what)
                .isEqualTo(HashList.of(sets.theirsAlone).toArray());
        assertThat(decoder.own().toArray())
                .as("%s", what)
                .isEqualTo(HashList.of(sets.ownAlone).toArray());
    }

    /** Slices that grow as a master asks for them: each begins where the last one ended. */
    private static SketchDecoder decodeInSlices(Sets sets, int symbolsMax) {
        SketchDecoder decoder = new SketchDecoder();
        Sketch own = Sketch.of(sets.own, 0, 0);
        int first = 0;
        int end = 8;
        while (true) {
            own.extend(sets.own, end);
            if (decoder.add(read(Sketch.of(sets.theirs, first, end)), own)) {
                return decoder;
            }
            assertThat(end).as("symbols of %d differences", sets.size()).isLessThan(symbolsMax);
            first = end;
            end += end / 2;
        }
    }

    private static Sketch read(Sketch slice) {
        ByteWriter out = new ByteWriter(16);
        slice.encode(out);
        assertThat(out.lengthBytes()).isEqualTo((slice.end() - slice.first()) * Sketch.SYMBOL_BYTES);
        return Sketch.decode(new ByteReader(out.toByteArray()), slice.first(), slice.end());
    }

    @Test
    void shouldFindExactlyWhatDiffersInSetsOfAnySize() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 150; seed++) {
            Random random = new Random(seed);
            int size = random.nextInt(1 << random.nextInt(16));
            int differing = size == 0 ? 0 : random.nextInt(Math.min(size, 1 << random.nextInt(14)) + 1);
            int theirs = random.nextInt(differing + 1);
            Sets sets = random.nextInt(3) == 0
                    ? Sets.random(random, size - differing, differing / 2, differing / 2)
                    : Sets.random(random, size - differing, theirs, differing - theirs);

            shouldFind(decodeInSlices(sets, 200 + 3 * sets.size()), sets, "seed=" + seed);
        }
    }

    @Test
    void shouldFindAllOfFiftyThousand() {
        Sets sets = Sets.random(new Random(1), 0, 20_000, 30_000);

        shouldFind(decodeInSlices(sets, 110_000), sets, "all differ");
    }

    @Test
    void shouldNeedFewSymbols() {
        for (int differing : new int[] {4, 5, 6, 8, 12, 20, 47, 100, 144, 400, 1_500}) {
            Random random = new Random(differing);
            int times = Math.max(6, 6_000 / differing);
            long symbols = 0;
            for (int i = 0; i < times; i++) {
                int theirs = random.nextInt(differing + 1);
                Sets sets = Sets.random(random, 20, theirs, differing - theirs);
                Sketch own = Sketch.of(sets.own, 0, 10 * differing + 200);
                SketchDecoder decoder = new SketchDecoder();
                int end = 0;
                while (!decoder.add(Sketch.of(sets.theirs, end, end + 1), own)) {
                    end++;
                }
                symbols += end + 1;
            }
            assertThat((double) symbols / times / differing)
                    .as("symbols for each of %d differences", differing)
                    .isLessThan(1.8);
        }
    }

    @Test
    void shouldNotFindAHashThatIsThereTwice() {
        long[] twice = {5, 5, 77, -9};
        long[] other = {77, -9};
        SketchDecoder decoder = new SketchDecoder();

        boolean done = decoder.add(Sketch.of(twice, 0, 500), Sketch.of(other, 0, 500));

        assertThat(done).isFalse();
    }

    @Test
    void shouldEndWhateverTheSymbolsAre() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 60; seed++) {
            Random random = new Random(seed);
            Sets sets = Sets.random(random, 500, 20, 20);
            SketchDecoder decoder = new SketchDecoder();
            Sketch own = Sketch.of(sets.own, 0, 4_000);
            int first = 0;
            boolean done = false;
            while (!done && first < 1_000) {
                int end = first + 1 + random.nextInt(200);
                ByteWriter out = new ByteWriter(16);
                Sketch.of(sets.theirs, first, end).encode(out);
                byte[] bytes = out.toByteArray();
                spoil(bytes, random);
                done = decoder.add(Sketch.decode(new ByteReader(bytes), first, end), own);
                first = end;
            }
            // Bounded, and whoever adds up what was found sees that it is not what the other set was said to be.
            assertThat(decoder.theirs().size() + decoder.own().size())
                    .as("seed=%d", seed)
                    .isLessThanOrEqualTo(decoder.end());
            if (done) {
                assertThat(new HashDifference(decoder.theirs(), decoder.own())
                                .leadsTo(
                                        sets.own,
                                        sets.theirs.length,
                                        HashList.of(sets.theirs).sum()))
                        .as("seed=%d", seed)
                        .isEqualTo(new HashDifference(decoder.theirs(), decoder.own()).equals(sets.difference()));
            }
        }
    }

    /** At random; or hashes that stand alone in many symbols, so that each is found over and over. */
    private static void spoil(byte[] bytes, Random random) {
        boolean alone = random.nextBoolean();
        for (int i = 0; i < bytes.length; i += Sketch.SYMBOL_BYTES) {
            if (alone) {
                ByteWriter out = new ByteWriter(Sketch.SYMBOL_BYTES);
                long hash = random.nextInt(3);
                out.writeLong(hash);
                out.writeInt(Sketch.check(hash));
                System.arraycopy(out.array(), 0, bytes, i, Sketch.SYMBOL_BYTES);
            } else if (random.nextInt(4) == 0) {
                bytes[i + random.nextInt(Sketch.SYMBOL_BYTES)] ^= (byte) (1 << random.nextInt(8));
            }
        }
    }

    @Test
    void shouldTakeSumsThatAddUpOnly() {
        Sets sets = Sets.random(new Random(3), 100, 5, 6);
        HashDifference right = sets.difference();
        long sum = HashList.of(sets.theirs).sum();

        assertThat(right.leadsTo(sets.own, 105, sum)).isTrue();
        assertThat(right.leadsTo(sets.own, 106, sum)).isFalse();
        assertThat(right.leadsTo(sets.own, 105, sum + 1)).isFalse();
        // What the own set does not have, or has twice, or has and was said to lack.
        long common = sets.own[0];
        assertThat(new HashDifference(HashList.of(new long[] {common}), HashList.EMPTY)
                        .leadsTo(sets.own, 107, HashList.of(sets.own).sum() + common))
                .isFalse();
        assertThat(new HashDifference(HashList.EMPTY, HashList.of(new long[] {12345}))
                        .leadsTo(sets.own, 105, HashList.of(sets.own).sum() - 12345))
                .isFalse();
        assertThat(new HashDifference(HashList.EMPTY, HashList.of(new long[] {common, common}))
                        .leadsTo(sets.own, 104, HashList.of(sets.own).sum() - 2 * common))
                .isFalse();
        long[] twice = {7, 7, 8};
        assertThat(new HashDifference(HashList.EMPTY, HashList.of(new long[] {7})).leadsTo(twice, 2, 15))
                .isFalse();
    }

    @Test
    void shouldRefuseSlicesThatAreNone() {
        assertThatThrownBy(() -> Sketch.of(new long[0], -1, 5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Sketch.of(new long[0], 5, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Sketch.decode(new ByteReader(new byte[100]), 0, Integer.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SketchDecoder().add(Sketch.of(new long[0], 1, 2), Sketch.of(new long[0], 0, 2)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldFindTheRangesThatDiffer() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 50; seed++) {
            Random random = new Random(seed);
            Sets sets = Sets.random(random, 5_000, random.nextInt(20), random.nextInt(20));
            HashRanges ranges = RangeSums.of(sets.own).differing(RangeSums.of(sets.theirs));

            assertThat(ranges.filter(sets.theirsAlone)).as("seed=%d", seed).isEqualTo(sets.theirsAlone);
            assertThat(ranges.filter(sets.ownAlone)).as("seed=%d", seed).isEqualTo(sets.ownAlone);
            assertThat(ranges.count()).as("seed=%d", seed).isLessThanOrEqualTo(sets.size());
            // About, with five times what chance makes of it.
            assertThat(HashRanges.differences(ranges.count()))
                    .as("seed=%d", seed)
                    .isBetween(sets.size() - 8, sets.size() + 8);
            long[] common = ranges.filter(Arrays.copyOf(sets.own, 5_000));
            assertThat(common.length).as("seed=%d", seed).isLessThan(5_000 * 60 / HashRanges.COUNT);
            assertThat(HashRanges.ALL.filter(sets.own)).isSameAs(sets.own);
        }
    }
}
