package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a store takes at most when nobody says. */
final class MutationMaxTest {
    private static final long MIB = 1 << 20;

    private static long maxMiB(long budgetMiB, long heapMiB) {
        return StoreConfig.mutationMaxBytes(budgetMiB * MIB, heapMiB * MIB) / MIB;
    }

    @Test
    void shouldFollowFromTheMemtablesAndTheHeap() {
        assertThat(maxMiB(256, 900)).isEqualTo(112);
        assertThat(maxMiB(256, 4096)).isEqualTo(256);
        assertThat(maxMiB(1024, 16384)).isEqualTo(256);
        assertThat(maxMiB(64, 4096)).isEqualTo(64);
        assertThat(maxMiB(1, 4096)).isEqualTo(16);
        assertThat(maxMiB(1, 64)).isEqualTo(8);
    }

    @Test
    void shouldBeWhatIsSaid() {
        StoreConfig config = StoreConfig.defaults().withMutationMaxBytes(3 * MIB);
        assertThat(config.mutationLimit().maxBytes()).isEqualTo(3 * MIB);
        assertThat(StoreConfig.defaults()
                        .withMemtableBudgetBytes(MIB)
                        .mutationLimit()
                        .maxBytes())
                .isEqualTo(Math.min(16 * MIB, Runtime.getRuntime().maxMemory() / 8));
    }
}
