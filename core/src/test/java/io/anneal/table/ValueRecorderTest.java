package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    private final ValueRecorder recorder = new ValueRecorder(count -> {});
    private final RecentValues recent = new RecentValues(List.of(recorder), nanos::get);

    @Test
    void shouldHaveOneBucketForEveryValue() {
        long next = 0;
        for (int i = 0; i < ValueBuckets.COUNT; i++) {
            assertThat(ValueBuckets.smallest(i)).isEqualTo(next);
            assertThat(ValueBuckets.indexOf(ValueBuckets.smallest(i))).isEqualTo(i);
            assertThat(ValueBuckets.indexOf(ValueBuckets.largest(i))).isEqualTo(i);
            assertThat(ValueBuckets.largest(i) - ValueBuckets.smallest(i))
                    .isLessThanOrEqualTo(ValueBuckets.smallest(i) / 16);
            next = ValueBuckets.largest(i) + 1;
        }
        assertThat(next - 1).isEqualTo(ValueBuckets.VALUE_MAX);
        assertThat(ValueBuckets.indexOf(Long.MAX_VALUE)).isEqualTo(ValueBuckets.COUNT - 1);
        assertThat(ValueBuckets.indexOf(-1)).isZero();
    }

    @Test
    void shouldTellPercentilesAsASortedListDoes() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        long[] values =
                random.longs(10_000, 0, 1L << 30).map(v -> v >>> (v & 15)).toArray();
        for (long value : values) {
            recorder.record(value);
        }
        Arrays.sort(values);
        RecordedSnapshot snapshot = recent.snapshot();
        for (double quantile : new double[] {0, 0.01, 0.5, 0.9, 0.99, 0.999, 1}) {
            long expected = values[Math.max(0, (int) Math.ceil(quantile * values.length) - 1)];
            assertThat(snapshot.getValue(quantile))
                    .as("quantile %s, seed %s", quantile, seed)
                    .isBetween((double) expected, expected * 17.0 / 16);
        }
        assertThat(snapshot.getMax()).isGreaterThanOrEqualTo(values[values.length - 1]);
        assertThat(snapshot.getMin()).isLessThanOrEqualTo(values[0]);
        double mean = Arrays.stream(values).average().orElseThrow();
        assertThat(snapshot.getMean()).isBetween(mean * 0.97, mean * 1.03);
        double deviation = Math.sqrt(
                Arrays.stream(values).mapToDouble(v -> (v - mean) * (v - mean)).sum() / (values.length - 1));
        assertThat(snapshot.getStdDev()).isBetween(deviation * 0.97, deviation * 1.03);
        assertThat(snapshot.size()).isEqualTo(values.length);
        assertThat(recent.count()).isEqualTo(values.length);
    }

    @Test
    void shouldTellNothingOfNothing() {
        RecordedSnapshot snapshot = recent.snapshot();
        assertThat(snapshot.getMedian()).isZero();
        assertThat(snapshot.getMax()).isZero();
        assertThat(snapshot.getMin()).isZero();
        assertThat(snapshot.getMean()).isZero();
        assertThat(snapshot.getStdDev()).isZero();
        assertThat(snapshot.getValues()).isEmpty();
        assertThatThrownBy(() -> snapshot.getValue(1.5)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldListValuesWithTheirCounts() {
        recorder.record(3);
        recorder.record(3);
        recorder.record(64);
        RecordedSnapshot snapshot = recent.snapshot();
        assertThat(snapshot.getValues()).containsExactly(3, 67);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        snapshot.dump(text);
        assertThat(text.toString(StandardCharsets.UTF_8).lines()).containsExactly("3 2", "67 1");
    }

    @Test
    void shouldForgetWhatIsOlderThanTwoMinutes() {
        recorder.record(1_000);
        assertThat(recent.snapshot().getMax()).isGreaterThanOrEqualTo(1_000);
        for (int minute = 0; minute < 3; minute++) {
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
            recorder.record(10);
            recent.snapshot();
        }
        assertThat(recent.snapshot().getMax()).isEqualTo(10);
        assertThat(recent.count()).isEqualTo(4);
    }

    @Test
    void shouldTellOfBatches() {
        AtomicLong told = new AtomicLong();
        ValueRecorder telling = new ValueRecorder(told::addAndGet);
        for (int i = 0; i < 1000; i++) {
            telling.record(5);
        }
        assertThat(told).hasValue(960);
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
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(recent.count()).isEqualTo(200_000);
    }

    @Test
    void shouldAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        TableMetrics table = new MetricsRegistry("s", nanos::get).addTable("ks.t", 1);
        record(table, 20_000);
        long before = threads.getThreadAllocatedBytes(id);
        record(table, 100_000);
        // The measurement itself takes some bytes.
        assertThat(threads.getThreadAllocatedBytes(id) - before).isLessThan(4_000);
    }

    private static void record(TableMetrics table, int times) {
        for (int i = 0; i < times; i++) {
            table.shard(0).readDone(i, i & 3, 0);
            table.shard(0).writeDone(i);
            table.falsePositive();
        }
    }
}
