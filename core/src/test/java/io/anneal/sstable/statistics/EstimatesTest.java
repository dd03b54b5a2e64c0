package io.anneal.sstable.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.SSTableVersion;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The estimates in Statistics, whose bytes Cassandra joins with those of its own SSTables. */
class EstimatesTest {
    /** The checksum is of what stream-lib 2.5.2 writes for the same keys, hashed by Cassandra 5.0.9. */
    @Test
    void shouldEstimateTheNumberOfKeysAsCassandraDoes() {
        KeyCardinality cardinality = new KeyCardinality();
        for (int i = 0; i < 50_000; i++) {
            byte[] key = ("key-" + i).getBytes(StandardCharsets.UTF_8);
            cardinality.add(key, 0, key.length);
            if (i % 2 == 0) {
                cardinality.add(new byte[] {0, (byte) i, (byte) (i >> 8), (byte) 200, (byte) (i >> 3), -1}, 1, 5);
            }
        }
        ByteWriter out = new ByteWriter(8192);
        cardinality.write(out);

        assertThat(new ByteReader(out.toByteArray()).readInt()).isEqualTo(5473).isEqualTo(out.lengthBytes() - 4);
        CRC32 crc = new CRC32();
        crc.update(out.array(), 4, out.lengthBytes() - 4);
        assertThat(crc.getValue()).isEqualTo(602449081L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 5_000, 20_000, 300_000})
    void shouldEstimateHowManyKeysWereSeen(int keys) {
        KeyCardinality cardinality = new KeyCardinality();
        for (int i = 0; i < keys; i++) {
            byte[] key = ("key " + i).getBytes(StandardCharsets.UTF_8);
            cardinality.add(key, 0, key.length);
        }
        ByteWriter out = new ByteWriter(8192);
        cardinality.write(out);
        long estimate =
                KeyCardinality.estimate(new ByteReader(out.toByteArray())).orElseThrow();
        assertThat((double) estimate).isCloseTo(keys, within(0.04 * keys));
    }

    @Test
    void shouldCountSizesInBucketsThatGrowByAFifth() {
        SizeHistogram histogram = new SizeHistogram(SizeHistogram.CELL_COUNT_BUCKETS);
        for (long size : new long[] {0, 1, 9, 10, 11, Long.MAX_VALUE}) {
            histogram.add(size);
        }
        ByteWriter out = new ByteWriter(8192);
        histogram.write(out);

        ByteReader in = new ByteReader(out.toByteArray());
        assertThat(in.readInt()).isEqualTo(SizeHistogram.CELL_COUNT_BUCKETS + 1);
        long[] bounds = new long[SizeHistogram.CELL_COUNT_BUCKETS + 1];
        long[] counts = new long[bounds.length];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = in.readLong();
            counts[i] = in.readLong();
        }
        assertThat(bounds)
                .startsWith(1, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20)
                .endsWith(4_139_110_981L);
        assertThat(counts).startsWith(2, 0, 0, 0, 0, 0, 0, 0, 2, 1).endsWith(1);
    }

    @Test
    void shouldRoundDropTimesUpToMinutes() {
        DropTimeHistogram histogram = new DropTimeHistogram();
        for (long seconds : new long[] {1_700_000_041, 1_700_000_040, 1_700_000_100, Integer.MAX_VALUE - 1}) {
            histogram.add(seconds);
        }
        assertThat(points(histogram)).isDeepEqualTo(new long[][] {
            {1_700_000_040, 1}, {1_700_000_100, 2}, {Integer.MAX_VALUE - 1, 1}
        });
    }

    @Test
    void shouldKeepEveryCountInAHundredPoints() {
        DropTimeHistogram histogram = new DropTimeHistogram();
        int count = 30_000;
        for (int i = 0; i < count; i++) {
            histogram.add(1_700_000_000L + i * 7919L % count * 60);
        }
        long[][] points = points(histogram);
        assertThat(points.length).isEqualTo(100);
        long sum = 0;
        for (int i = 0; i < points.length; i++) {
            assertThat(points[i][0]).isGreaterThan(i == 0 ? 1_699_999_999L : points[i - 1][0]);
            sum += points[i][1];
        }
        assertThat(sum).isEqualTo(count);
        assertThat(points[99][0]).isLessThanOrEqualTo(1_700_000_000L + 60L * count);
    }

    private static long[][] points(DropTimeHistogram histogram) {
        ByteWriter out = new ByteWriter(2048);
        histogram.write(SSTableVersion.NB, out);
        ByteReader in = new ByteReader(out.toByteArray());
        assertThat(in.readInt()).isLessThanOrEqualTo(100);
        long[][] points = new long[in.readInt()][];
        for (int i = 0; i < points.length; i++) {
            points[i] = new long[] {(long) Double.longBitsToDouble(in.readLong()), in.readLong()};
        }
        assertThat(in.hasRemaining()).isFalse();
        return points;
    }
}
