package io.anneal.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class ManualClockTest {
    private final ManualClock clock = ManualClock.create();

    @Test
    void shouldStandStillWhenItIsNotMoved() {
        assertThat(clock.instant()).isEqualTo(ManualClock.START).isEqualTo(clock.instant());
        assertThat(clock.nanoTime()).isZero();
    }

    @Test
    void shouldMoveBothReadingsWhenTimePasses() {
        clock.advance(Duration.ofSeconds(90).plusNanos(7));

        assertThat(clock.instant()).isEqualTo(ManualClock.START.plusSeconds(90).plusNanos(7));
        assertThat(clock.nanoTime()).isEqualTo(90_000_000_007L);
        assertThat(clock.millis()).isEqualTo(ManualClock.START.toEpochMilli() + 90_000);
    }

    @Test
    void shouldLeaveNanosecondsWhenTheTimeOfDayIsSetBack() {
        clock.advance(Duration.ofSeconds(1));
        clock.set(Instant.EPOCH);

        assertThat(clock.instant()).isEqualTo(Instant.EPOCH);
        assertThat(clock.nanoTime()).isEqualTo(1_000_000_000L);
    }

    @Test
    void shouldMoveInAllZones() {
        ManualClock elsewhere = clock.withZone(ZoneId.of("Asia/Kolkata"));
        clock.advance(Duration.ofHours(1));

        assertThat(elsewhere.instant()).isEqualTo(ManualClock.START.plusSeconds(3600));
        assertThat(elsewhere.getZone()).isEqualTo(ZoneId.of("Asia/Kolkata"));
    }

    @Test
    void shouldWakeSleepersWhenTimeHasPassed() throws InterruptedException {
        List<Long> woken = new CopyOnWriteArrayList<>();
        Thread sleeper = new Thread(() -> {
            try {
                clock.sleepNanos(10);
                woken.add(clock.nanoTime());
            } catch (InterruptedException e) {
                woken.add(-1L);
            }
        });
        sleeper.start();
        // However the threads interleave: it wakes once ten have passed since it fell asleep.
        while (sleeper.isAlive()) {
            clock.advance(Duration.ofNanos(1));
            sleeper.join(1);
        }

        assertThat(woken).singleElement().satisfies(nanos -> assertThat(nanos).isGreaterThanOrEqualTo(10));
    }

    @Test
    void shouldRefuseToAdvanceBackwards() {
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("duration=PT-0.000000001S");
    }
}
