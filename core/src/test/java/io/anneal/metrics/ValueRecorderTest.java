package io.anneal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ValueRecorderTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ValueRecorder recorder = new ValueRecorder(nanos::get);

    private RecordedSnapshot recent() {
        return RecordedSnapshot.of(List.of(recorder));
    }

    private long count() {
        return new RecordedTimer(List.of(recorder)).getCount();
    }

    @Test
    void shouldBoundValues() {
        recorder.record(-5);
        recorder.record(Long.MAX_VALUE);
        assertThat(recent().getMin()).isZero();
        assertThat((double) recent().getMax()).isBetween(3.6e12, 3.63e12);
        assertThat(recent().size()).isEqualTo(2);
    }

    @Test
    void shouldTellPercentilesAsASortedListDoes() {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        long[] values =
                random.longs(10_000, 0, 1L << 30).map(v -> v >>> (v & 15)).toArray();
        for (long value : values) {
            recorder.record(value);
        }
        Arrays.sort(values);
        RecordedSnapshot snapshot = recent();
        for (double quantile : new double[] {0, 0.01, 0.5, 0.9, 0.99, 0.999, 1}) {
            long expected = values[Math.max(0, (int) Math.ceil(quantile * values.length) - 1)];
            assertThat(snapshot.getValue(quantile))
                    .as("quantile %s, seed %s", quantile, seed)
                    .isBetween(expected * 0.99, expected * 1.01);
        }
        assertThat(snapshot.getMax()).isGreaterThanOrEqualTo(values[values.length - 1]);
        assertThat(snapshot.getMin()).isLessThanOrEqualTo(values[0]);
        double mean = Arrays.stream(values).average().orElseThrow();
        assertThat(snapshot.getMean()).isBetween(mean * 0.99, mean * 1.01);
        double deviation = Math.sqrt(
                Arrays.stream(values).mapToDouble(v -> (v - mean) * (v - mean)).sum() / (values.length - 1));
        assertThat(snapshot.getStdDev()).isBetween(deviation * 0.99, deviation * 1.01);
        assertThat(snapshot.size()).isEqualTo(values.length);
        assertThat(count()).isEqualTo(values.length);
    }

    @Test
    void shouldTellNothingOfNothing() {
        RecordedSnapshot snapshot = recent();
        assertThat(snapshot.getMedian()).isZero();
        assertThat(snapshot.getMax()).isZero();
        assertThat(snapshot.getMin()).isZero();
        assertThat(snapshot.getMean()).isZero();
        assertThat(snapshot.getStdDev()).isZero();
        assertThat(snapshot.getValues()).isEmpty();
    }

    @Test
    void shouldListValuesWithTheirCounts() {
        recorder.record(3);
        recorder.record(3);
        recorder.record(1_000);
        RecordedSnapshot snapshot = recent();
        assertThat(snapshot.getValues()).containsExactly(3, 1_003);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        snapshot.dump(text);
        assertThat(text.toString(StandardCharsets.UTF_8)).contains("1003.00");
    }

    @Test
    void shouldForgetWhatIsOlderThanTwoMinutes() {
        recorder.record(1_000);
        assertThat(recent().getMax()).isGreaterThanOrEqualTo(1_000);
        for (int minute = 0; minute < 3; minute++) {
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
            recorder.record(10);
            recent();
        }
        assertThat(recent().getMax()).isEqualTo(10);
        assertThat(count()).isEqualTo(4);
    }

    @Test
    void shouldTellWhatCameSinceTheLastQuestionWhenSeldomAsked() {
        recorder.record(1_000);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        assertThat(recent().size()).isEqualTo(1);
        recorder.record(10);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        assertThat(recent().getMax()).isEqualTo(10);
        // Asked twice at once, as a monitor does for each attribute.
        assertThat(recent().getMax()).isEqualTo(10);
    }

    @Test
    void shouldAddUpSeveralRecorders() {
        ValueRecorder other = new ValueRecorder(nanos::get);
        ValueRecorder silent = new ValueRecorder(nanos::get);
        recorder.record(100);
        other.record(5);
        other.record(5_000);
        List<ValueRecorder> all = List.of(recorder, other, silent);
        assertThat(RecordedSnapshot.of(all).getValues()).containsExactly(5, 100, 5_023);
        assertThat(new RecordedHistogram(all).getCount()).isEqualTo(3);
    }

    @Test
    void shouldTellTheRateOfRareEvents() {
        RecordedTimer timer = new RecordedTimer(List.of(recorder));
        for (int minute = 0; minute < 60; minute++) {
            recorder.record(1);
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        }
        assertThat(timer.getMeanRate() * 60).isBetween(0.99, 1.01);
    }

    @Test
    void shouldLoseNothingBetweenThreads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int value = 0; value < 50_000; value++) {
                    recorder.record(value & 7);
                }
            });
            threads.add(thread);
            thread.start();
        }
        // A reader in between takes nothing away.
        while (threads.stream().anyMatch(Thread::isAlive)) {
            assertThat(recent().getMax()).isLessThanOrEqualTo(7);
            assertThat(count()).isLessThanOrEqualTo(200_000);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(recent().size()).isEqualTo(200_000);
        assertThat(count()).isEqualTo(200_000);
    }

    @Test
    void shouldAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        record(20_000);
        long before = threads.getThreadAllocatedBytes(id);
        record(100_000);
        // The measurement itself takes some bytes.
        assertThat(threads.getThreadAllocatedBytes(id) - before).isLessThan(4_000);
    }

    @Test
    void shouldTakeLittleUntilItIsUsed() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        List<ValueRecorder> made = new ArrayList<>(1001);
        made.add(new ValueRecorder(nanos::get));
        long before = threads.getThreadAllocatedBytes(id);
        for (int i = 0; i < 1000; i++) {
            made.add(new ValueRecorder(nanos::get));
        }
        assertThat((threads.getThreadAllocatedBytes(id) - before) / 1000).isLessThan(128);
        assertThat(new RecordedTimer(made).getCount()).isZero();
        assertThat(RecordedSnapshot.of(made).size()).isZero();
    }

    private void record(int times) {
        for (int i = 0; i < times; i++) {
            recorder.record(i);
        }
    }
}
