package io.anneal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ByteBudgetTest {
    @Test
    void shouldReserveUpToTheTotalAndNoMore() {
        ByteBudget budget = ByteBudget.of(100);

        assertThat(budget.tryReserve(100)).isTrue();
        assertThat(budget.tryReserve(1)).isFalse();
        assertThat(budget.tryReserve(0)).isTrue();
        budget.release(40);
        assertThat(budget.tryReserve(41)).isFalse();
        assertThat(budget.tryReserve(40)).isTrue();
        assertThat(budget.reservedBytesMost()).isEqualTo(100);
        assertThatThrownBy(() -> ByteBudget.of(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldLeaveEachNextShareHalfOfWhatIsFree() {
        ByteBudget whole = ByteBudget.of(100);
        ByteBudget first = whole.share();
        ByteBudget second = whole.share();
        ByteBudget third = whole.share();

        assertThat(first.tryReserve(51)).isFalse();
        assertThat(first.tryReserve(50)).isTrue();
        assertThat(second.tryReserve(26)).isFalse();
        assertThat(second.reservedBytes()).as("a refusal leaves nothing behind").isZero();
        assertThat(second.tryReserve(25)).isTrue();
        assertThat(first.tryReserve(1)).isFalse();
        assertThat(third.tryReserve(12)).isTrue();
        assertThat(whole.reservedBytes()).isEqualTo(87);
        first.release(50);
        assertThat(whole.reservedBytes()).isEqualTo(37);
        assertThat(second.tryReserve(6)).isTrue();
    }

    @Test
    void shouldKeepPartFreeForWhatOthersCannotDoWithout() {
        ByteBudget whole = ByteBudget.of(100);
        ByteBudget share = whole.share();

        assertThat(share.tryReserveSpare(38)).isFalse();
        assertThat(share.tryReserveSpare(37)).isTrue();
        assertThat(share.tryReserve(13)).isTrue();
        assertThat(whole.tryReserveLasting(1)).as("half is given out").isFalse();
        assertThat(whole.tryReserveSpare(26)).isFalse();
        assertThat(whole.tryReserveSpare(25)).isTrue();
        assertThat(whole.tryReserveSpare(1)).as("three quarters are given out").isFalse();
        assertThat(whole.tryReserve(25)).isTrue();
    }

    @Test
    void shouldHoldForLongNoMoreThanHalf() {
        ByteBudget whole = ByteBudget.of(100);

        assertThat(whole.tryReserveLasting(51)).isFalse();
        assertThat(whole.tryReserveLasting(50)).isTrue();
        assertThat(whole.lastingBytes()).isEqualTo(50);
        assertThat(whole.tryReserve(50)).isTrue();
    }

    @Test
    void shouldShareAQuarterFairlyBetweenTwoBounds() {
        ByteBudget whole = ByteBudget.of(1_000);
        ByteBudget share = whole.share();
        assertThat(whole.fairBytes(1, 10_000)).isEqualTo(250);
        share.join();
        share.join();
        assertThat(share.fairBytes(1, 10_000)).isEqualTo(62);
        whole.join();
        whole.join();
        whole.join();
        assertThat(share.fairBytes(1, 10_000))
                .as("of the whole, which has five")
                .isEqualTo(50);
        assertThat(share.fairBytes(300, 10_000)).isEqualTo(300);
        assertThat(share.fairBytes(1, 7)).isEqualTo(7);
        share.leave();
        share.leave();
        assertThat(whole.fairBytes(1, 10_000)).isEqualTo(83);
    }

    @Test
    void shouldLetOneAtATimeGoBeyond() {
        ByteBudget whole = ByteBudget.of(10);
        assertThat(whole.share().tryGoBeyond()).isTrue();
        assertThat(whole.tryGoBeyond()).isFalse();
        assertThat(whole.share().tryGoBeyond()).isFalse();
        whole.comeBack();
        assertThat(whole.tryGoBeyond()).isTrue();
    }

    @Test
    void shouldNeverGiveMoreThanThereIsToManyThreads() throws Exception {
        ByteBudget whole = ByteBudget.of(1_000);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                long seed = Long.getLong("anneal.seed", 0) + thread;
                ByteBudget mine = thread % 2 == 0 ? whole : whole.share();
                runs.add(threads.submit(() -> reserveAndRelease(mine, new Random(seed))));
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(whole.reservedBytes()).isZero();
        assertThat(whole.reservedBytesMost()).isBetween(1L, 1_000L);
        assertThat(whole.fairBytes(1, 10_000)).isEqualTo(250);
    }

    private static void reserveAndRelease(ByteBudget budget, Random random) {
        for (int i = 0; i < 50_000; i++) {
            long bytes = random.nextInt(300);
            budget.join();
            if (budget.tryReserve(bytes)) {
                assertThat(budget.reservedBytes()).isBetween(bytes, budget.totalBytes());
                budget.release(bytes);
            }
            budget.leave();
        }
    }
}
