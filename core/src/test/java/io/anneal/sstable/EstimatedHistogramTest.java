package io.anneal.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class EstimatedHistogramTest {
    @Test
    void shouldCountInBucketsThatGrowByAFifth() {
        EstimatedHistogram histogram = EstimatedHistogram.empty(13);
        assertThat(histogram.upperBounds()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20);
        histogram.add(9, 3);
        histogram.add(10, 1);
        histogram.add(1, 1);
        assertThat(histogram.total()).isEqualTo(5);
        assertThat(histogram.min()).isZero();
        assertThat(histogram.max()).isEqualTo(10);
        assertThat(histogram.percentile(0.5)).isEqualTo(10);
        assertThat(histogram.percentile(0.2)).isEqualTo(1);
        assertThat(histogram.mean()).isEqualTo(9);
    }

    @Test
    void shouldKeepWhatOverflowsApart() {
        EstimatedHistogram histogram = EstimatedHistogram.empty(13);
        histogram.add(21, 2);
        histogram.add(20, 1);
        assertThat(histogram.overflowCount()).isEqualTo(2);
        assertThat(histogram.max()).isEqualTo(Long.MAX_VALUE);
        assertThat(histogram.mean()).isEqualTo(20);
        assertThat(histogram.percentile(0.99)).isEqualTo(20);
    }

    @Test
    void shouldTellNothingOfNothing() {
        EstimatedHistogram histogram = EstimatedHistogram.empty(5);
        assertThat(histogram.mean()).isZero();
        assertThat(histogram.min()).isZero();
        assertThat(histogram.max()).isZero();
        assertThat(histogram.percentile(0.5)).isZero();
    }

    @Test
    void shouldEstimateWhatCanBeDropped() {
        DropTimes times = new DropTimes(new long[] {100, 200}, new long[] {10, 30});
        assertThat(times.before(99)).isZero();
        assertThat(times.before(200)).isEqualTo(40);
        assertThat(times.before(100)).isCloseTo(5, within(1e-9));
        assertThat(times.before(150)).isCloseTo(5 + (10 + 20) / 4.0, within(1e-9));
    }
}
