package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LatenciesTest {
    @TempDir
    private Path directory;

    @Test
    void shouldTellTheMiddleAndWhatOneInAHundredExceeds() {
        Latencies latencies =
                new Latencies(LongStream.rangeClosed(1, 200).map(i -> 201 - i).toArray());

        assertThat(latencies.medianNanos()).isEqualTo(101);
        assertThat(latencies.p99Nanos()).isEqualTo(198);
        assertThat(new Latencies(new long[] {5}).p99Nanos()).isEqualTo(5);
    }

    @Test
    void shouldRefuseWhenNothingWasMeasured() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Latencies(new long[0]));
    }

    @Test
    void shouldTimeEachSync() throws IOException {
        try (SyncLimit limit = SyncLimit.open(directory, System::nanoTime)) {
            assertThat(limit.nanos(1 << 20, 20)).hasSize(20).doesNotContain(0);
        }
    }

    @Test
    void shouldPrintLatenciesInMultiplesOfTheLimit() {
        Series series = new Series("store");
        new Latencies(new long[] {3_000, 3_000}).addTo(series, "write-batch-1", BenchSystem.ANNEAL);
        new Latencies(new long[] {2_000, 8_000}).addTo(series, "write-batch-1", BenchSystem.LIMIT);
        series.add("write-batch-1", BenchSystem.ANNEAL, BenchMetric.WRITES_PER_SYNC, 1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new BenchTable(series.records()).print(new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("1.0 writes a sync  median 3.0 us (3.0..3.0)  p99 3.0 us (3.0..3.0)")
                .contains("in medians of limit: median 0.38 (0.38..0.38), p99 0.38 (0.38..0.38); p99 to p99 0.38");
    }
}
