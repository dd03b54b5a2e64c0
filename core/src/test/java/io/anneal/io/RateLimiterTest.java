package io.anneal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
    private static final long SECOND = 1_000_000_000L;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - SECOND);

    private RateLimiter limiter(long bytesPerSecond) {
        return new RateLimiter(bytesPerSecond, nanos::get, nanos::addAndGet);
    }

    private long elapsedNanos() {
        return nanos.get() - (Long.MAX_VALUE - SECOND);
    }

    @Test
    void shouldHoldTheRateOverAClockThatWrapsAround() throws InterruptedException {
        RateLimiter limiter = limiter(1000);
        for (int i = 0; i < 50; i++) {
            limiter.acquire(100);
        }
        assertThat(elapsedNanos()).isBetween(4 * SECOND, 5 * SECOND);
    }

    @Test
    void shouldLetALargePieceThroughAtOnceAndMakeTheNextOneWait() throws InterruptedException {
        RateLimiter limiter = limiter(1000);
        limiter.acquire(10_000);
        assertThat(elapsedNanos()).isZero();
        limiter.acquire(1);
        assertThat(elapsedNanos()).isEqualTo(10 * SECOND);
    }

    @Test
    void shouldSaveUpNoMoreThanAMoment() throws InterruptedException {
        RateLimiter limiter = limiter(1000);
        nanos.addAndGet(60 * SECOND);
        limiter.acquire(1000);
        limiter.acquire(1000);
        assertThat(elapsedNanos()).isBetween(61 * SECOND - SECOND / 100, 61 * SECOND);
    }

    @Test
    void shouldHoldTheRateOfSmallPiecesThoughSleepsAreLongerThanAsked() throws InterruptedException {
        long millisecond = SECOND / 1000;
        RateLimiter limiter =
                new RateLimiter(10_000, nanos::get, slept -> nanos.addAndGet((slept / millisecond + 1) * millisecond));
        for (int i = 0; i < 20_000; i++) {
            limiter.acquire(1);
        }
        assertThat(elapsedNanos()).isBetween(19 * SECOND / 10, 21 * SECOND / 10);
    }

    @Test
    void shouldNotWaitWithoutARate() throws InterruptedException {
        RateLimiter limiter = limiter(RateLimiter.UNLIMITED);
        limiter.acquire(Long.MAX_VALUE);
        limiter.acquire(Long.MAX_VALUE);
        assertThat(elapsedNanos()).isZero();
    }

    @Test
    void shouldLetThoseWaitingGoWhenTheRateIsLifted() throws InterruptedException {
        RateLimiter[] limiter = new RateLimiter[1];
        limiter[0] = new RateLimiter(1, nanos::get, slept -> {
            nanos.addAndGet(slept);
            limiter[0].bytesPerSecond(RateLimiter.UNLIMITED);
        });
        limiter[0].acquire(1_000_000);
        limiter[0].acquire(1);
        assertThat(elapsedNanos()).isLessThan(SECOND);
        assertThat(limiter[0].bytesPerSecond()).isZero();
    }

    @Test
    void shouldPassOnAnInterruptionAndTakeNothing() throws InterruptedException {
        boolean[] interrupted = {true};
        RateLimiter limiter = new RateLimiter(1000, nanos::get, slept -> {
            if (interrupted[0]) {
                throw new InterruptedException();
            }
            nanos.addAndGet(slept);
        });
        limiter.acquire(1000);
        assertThatThrownBy(() -> limiter.acquire(1000)).isInstanceOf(InterruptedException.class);
        interrupted[0] = false;
        limiter.acquire(1);
        assertThat(elapsedNanos()).isEqualTo(SECOND);
    }

    @Test
    void shouldRefuseANegativeRate() {
        assertThatThrownBy(() -> limiter(-1)).hasMessageContaining("bytesPerSecond=-1");
    }
}
