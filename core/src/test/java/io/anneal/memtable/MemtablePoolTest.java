package io.anneal.memtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class MemtablePoolTest {
    private static final int BUDGET_BYTES = 1 << 20;

    private final MemtablePool pool = new MemtablePool(BUDGET_BYTES);

    @Test
    void shouldHandOutAgainWhatItTookBack() {
        byte[] slab = pool.takeBytes(pool.slabBytes());
        int[] page = pool.takeInts(pool.slabBytes() / Integer.BYTES);
        assertThat(pool.usedBytes()).isGreaterThan(2L * pool.slabBytes());
        pool.give(slab);
        pool.give(page);

        assertThat(pool.usedBytes()).isZero();
        assertThat(pool.freeBytes()).isGreaterThan(2L * pool.slabBytes());
        assertThat(pool.takeBytes(pool.slabBytes())).isSameAs(slab);
        assertThat(pool.takeInts(pool.slabBytes() / Integer.BYTES)).isSameAs(page);
        assertThat(pool.freeBytes()).isZero();
    }

    @Test
    void shouldNotRefuseBeyondTheBudget() {
        byte[][] slabs = new byte[40][];
        for (int i = 0; i < slabs.length; i++) {
            slabs[i] = pool.takeBytes(pool.slabBytes());
        }
        assertThat(pool.usedBytes()).isGreaterThan(2L * BUDGET_BYTES);
        for (byte[] slab : slabs) {
            pool.give(slab);
            assertThat(pool.freeBytes() == 0 || pool.usedBytes() + pool.freeBytes() <= BUDGET_BYTES)
                    .isTrue();
        }
        assertThat(pool.usedBytes()).isZero();
        assertThat(pool.freeBytes()).isPositive().isLessThanOrEqualTo(BUDGET_BYTES);
    }

    @Test
    void shouldDropWhatIsFreeForWhatIsNeeded() {
        byte[][] slabs = new byte[15][];
        for (int i = 0; i < slabs.length; i++) {
            slabs[i] = pool.takeBytes(pool.slabBytes());
        }
        for (byte[] slab : slabs) {
            pool.give(slab);
        }
        pool.hold(BUDGET_BYTES / 2);
        assertThat(pool.usedBytes() + pool.freeBytes()).isLessThanOrEqualTo(BUDGET_BYTES);
        assertThat(pool.freeBytes()).isPositive();
        pool.takeBytes(BUDGET_BYTES);
        assertThat(pool.freeBytes()).isZero();
    }

    @Test
    void shouldCountWhatIsNotReused() {
        byte[] small = pool.takeBytes(100);
        assertThat(pool.usedBytes()).isGreaterThanOrEqualTo(100);
        pool.give(small);
        assertThat(pool.usedBytes()).isZero();
        assertThat(pool.freeBytes()).isZero();
    }

    @Test
    void shouldTakeSmallSlabsOfASmallBudget() {
        assertThat(new MemtablePool(64 << 10).slabBytes()).isEqualTo(4 << 10);
        assertThat(new MemtablePool(1L << 40).slabBytes()).isLessThan(1 << 20).isGreaterThan(1000 << 10);
    }

    @Test
    void shouldRefuseABudgetOfNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MemtablePool(0))
                .withMessageContaining("budgetBytes=0");
    }
}
