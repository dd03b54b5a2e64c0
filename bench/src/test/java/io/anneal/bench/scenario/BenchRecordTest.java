package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BenchRecordTest {
    private static final List<BenchRecord> RECORDS = List.of(
            new BenchRecord("sstable", "scan-1k", BenchSystem.ANNEAL, BenchMetric.WALL, 5, 0.1, 0.125, 1e-3 + 0.2),
            new BenchRecord("sstable", "merge-4", BenchSystem.CASSANDRA, BenchMetric.ROWS_PER_SECOND, 1, 7e5, 7e5, 7e5),
            new BenchRecord("limits", "crc32", BenchSystem.LIMIT, BenchMetric.BYTES_PER_SECOND, 3, 1, 2, 1e10),
            new BenchRecord("repair", "wide", BenchSystem.BASELINE, BenchMetric.BYTES_LACKING, 3, 0, 0, 0));

    @Test
    void shouldReadBackWhatIsWritten() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BenchJson.write(RECORDS, out);

        List<BenchRecord> read = new ArrayList<>();
        for (JsonNode node : new ObjectMapper().readTree(out.toByteArray())) {
            read.add(new BenchRecord(
                    node.get("scenario").textValue(),
                    node.get("case").textValue(),
                    named(
                            BenchSystem.values(),
                            BenchSystem::text,
                            node.get("system").textValue()),
                    named(
                            BenchMetric.values(),
                            BenchMetric::text,
                            node.get("metric").textValue()),
                    node.get("runs").intValue(),
                    node.get("min").doubleValue(),
                    node.get("median").doubleValue(),
                    node.get("max").doubleValue()));
        }
        assertThat(read).isEqualTo(RECORDS);
    }

    private static <T> T named(T[] values, java.util.function.Function<T, String> text, String name) {
        return Stream.of(values)
                .filter(value -> text.apply(value).equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "wall, s",
        "cpu, s",
        "others-cpu, s",
        "nodes-cpu, s",
        "agents-cpu, s",
        "command-cpu, s",
        "idle-memory, B",
        "sstables, 1",
        "rows-written, 1",
        "snapshot-skew, s",
        "rows-in-skew, 1",
        "rows-moved, 1",
        "moved-share, 1",
        "rows-left-out, 1",
        "rows-differing, 1",
        "bytes-sent, B",
        "bytes-read, B",
        "read-ops, 1",
        "bytes-lacking, B",
        "rows-per-second, 1/s",
        "bytes-per-second, B/s",
        "allocated-per-row, B",
        "peak-memory, B",
        "held-memory, B",
        "files-left, 1",
        "bytes-per-cpu-second, B/s",
        "latency-median, s",
        "latency-p99, s",
        "writes-per-sync, 1",
        "memtable-peak, B",
        "memory-budget, B",
        "budget-peak, B",
        "slowest-stream, B",
        "median-stream, B",
        "slowest-rate, B/s",
        "median-rate, B/s",
        "cpu-per-call, s",
        "cpu-growth, 1",
        "cpu-share, 1",
        "rows-twice, 1",
        "sessions, 1",
        "bytes-growth, 1",
        "dry-run-bytes, 1"
    })
    void shouldNameMetricsAndUnitsAsRecordsHaveThem(String text, String unit) {
        assertThat(named(BenchMetric.values(), BenchMetric::text, text).unit()).isEqualTo(unit);
        assertThat(BenchMetric.values()).hasSize(43);
    }

    @Test
    void shouldWriteTheSameNamesWhereAnotherLanguageHasOtherLowerCase() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr-TR"));
            assertThat(BenchSystem.LIMIT.text()).isEqualTo("limit");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void shouldTakeTheMiddleOfTheRuns() {
        assertThat(BenchRecord.of("s", "c", BenchSystem.ANNEAL, BenchMetric.CPU, new double[] {3, 1, 2}))
                .isEqualTo(new BenchRecord("s", "c", BenchSystem.ANNEAL, BenchMetric.CPU, 3, 1, 2, 3));
        assertThat(BenchRecord.of("s", "c", BenchSystem.ANNEAL, BenchMetric.CPU, new double[] {4, 1, 2, 3})
                        .median())
                .isEqualTo(2.5);
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1, 1", "1, 2, 1, 3", "1, 1, 3, 2", "1, NaN, 1, 2", "1, 1, 1, Infinity"})
    void shouldRefuseWhatIsNoSpread(int runs, double min, double median, double max) {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new BenchRecord("s", "c", BenchSystem.ANNEAL, BenchMetric.CPU, runs, min, median, max))
                .withMessageContaining("case=c");
    }
}
