package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.sstable.SSTableVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RoundsTest {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final List<BenchSystem> order = new ArrayList<>();

    private Contender contender(BenchSystem system, long wallSeconds) {
        return new Contender(system, () -> {
            order.add(system);
            return new Run(1000, 5000, wallSeconds * SECOND_NANOS, SECOND_NANOS, 2000);
        });
    }

    private static BenchConfig config(int runs, long warmUpSeconds) {
        return new BenchConfig(
                BenchConfig.ROWS_MIN,
                runs,
                warmUpSeconds * SECOND_NANOS,
                SSTableVersion.NB,
                Set.of(),
                false,
                () -> 0,
                line -> {});
    }

    @Test
    void shouldRunInTurnOnceAllAreWarm() throws IOException {
        new Rounds("s", config(2, 3))
                .measure("c", List.of(contender(BenchSystem.ANNEAL, 1), contender(BenchSystem.LIMIT, 2)));

        assertThat(order)
                .containsExactly(
                        BenchSystem.ANNEAL,
                        BenchSystem.ANNEAL,
                        BenchSystem.ANNEAL,
                        BenchSystem.LIMIT,
                        BenchSystem.LIMIT,
                        BenchSystem.LIMIT,
                        BenchSystem.ANNEAL,
                        BenchSystem.LIMIT,
                        BenchSystem.ANNEAL,
                        BenchSystem.LIMIT);
    }

    @Test
    void shouldEndWarmUpWhenWorkHardlyUsesTheProcessor() throws IOException {
        Contender waiting = new Contender(BenchSystem.LIMIT, () -> {
            order.add(BenchSystem.LIMIT);
            return new Run(0, 0, 2 * SECOND_NANOS, 0, 0);
        });

        new Rounds("s", config(1, 3)).measure("c", List.of(waiting));

        assertThat(order).hasSize(6 + 1);
    }

    @Test
    void shouldTellRatesOfEachRun() throws IOException {
        assertThat(new Rounds("s", config(2, 0)).measure("c", List.of(contender(BenchSystem.ANNEAL, 4))))
                .extracting(BenchRecord::metric, BenchRecord::runs, BenchRecord::median)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(BenchMetric.WALL, 2, 4.0),
                        org.assertj.core.groups.Tuple.tuple(BenchMetric.CPU, 2, 1.0),
                        org.assertj.core.groups.Tuple.tuple(BenchMetric.ROWS_PER_SECOND, 2, 250.0),
                        org.assertj.core.groups.Tuple.tuple(BenchMetric.BYTES_PER_SECOND, 2, 1250.0),
                        org.assertj.core.groups.Tuple.tuple(BenchMetric.ALLOCATED_PER_ROW, 2, 2.0));
    }

    @Test
    void shouldPrintRatiosWithTheSpreadTheyMayHave() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new BenchTable(List.of(
                        new BenchRecord("s", "c", BenchSystem.ANNEAL, BenchMetric.WALL, 3, 1, 2, 4),
                        new BenchRecord("s", "c", BenchSystem.ANNEAL, BenchMetric.CPU, 3, 1, 1, 1),
                        new BenchRecord("s", "c", BenchSystem.CASSANDRA, BenchMetric.WALL, 3, 8, 10, 12),
                        new BenchRecord("s", "c", BenchSystem.CASSANDRA, BenchMetric.CPU, 3, 7, 7, 7)))
                .print(new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("anneal / cassandra: 5.00 (2.00..12.00), by CPU time 7.00")
                .contains("2000.00 (1000.00..4000.00)");
    }
}
