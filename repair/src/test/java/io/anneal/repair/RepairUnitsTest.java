package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.job.RangeJob;
import io.anneal.job.RangeUnit;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.repair.message.RepairCounts;
import io.anneal.repair.message.SessionTerms;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a repair does with its units, whatever is in them. */
@Timeout(60)
class RepairUnitsTest {
    private static final TokenRanges ALL = new TokenRanges(List.of(TokenRange.FULL));
    private static final RepairReport EQUAL = new RepairReport(
            List.of(),
            List.of(new RepairReport.ReplicaReport(
                    0, "one", RepairCounts.NONE, Long.MAX_VALUE, List.of("an SSTable"), List.of())),
            RepairCounts.NONE,
            false,
            Long.MAX_VALUE,
            List.of(),
            100,
            864_000,
            SessionTerms.NO_CUTOFF,
            List.of());

    private final List<RangeUnit> reported = Collections.synchronizedList(new ArrayList<>());
    private final List<String> tables = Collections.synchronizedList(new ArrayList<>());

    private static RangeJob.Builder<RangeUnit> builder(int parallel) {
        return RangeJob.<RangeUnit>builder(
                        "repair", text -> RangeUnit.parse(text, replicas -> ALL), HostEnvironment.system())
                .facts(Map.of(Repair.RUN_FACT, new UUID(1, 2).toString()), facts -> true)
                .parallel(parallel);
    }

    private static List<RangeUnit> units(int count) {
        return RangeUnit.of("ks.t", ALL, List.of("one", "two"), count);
    }

    /** Processor time that equal units cost beside their sessions. */
    private double seconds(int count) throws IOException {
        RepairJob job = new RepairJob(
                (unit, terms, listener) -> EQUAL,
                List.of("one", "two"),
                ALL.ranges(),
                Optional.empty(),
                (unit, report) -> reported.add(unit),
                (table, report) -> tables.add(table + " after " + reported.size()),
                (table, report) -> Map.of(),
                (unit, report) -> {},
                false,
                Optional.empty(),
                Duration.ZERO,
                System::nanoTime);
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        job.run(builder(1), Duration.ZERO, () -> units(count));
        return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before) / 1e9;
    }

    @Test
    void shouldCostAsMuchForEachUnitHoweverManyThereAre() throws IOException {
        seconds(5_000);
        double few = seconds(5_000);
        double many = seconds(40_000);

        assertThat(reported).hasSize(50_000);
        assertThat(tables).last().isEqualTo("ks.t after 50000");
        assertThat(many / 8).as("of eight times as many, an eighth").isLessThan(3 * few + 0.02);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void shouldCountWhatIsSplitOffAUnitThatEndsMeanwhile() throws IOException {
        CountDownLatch agreed = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        RepairJob job = new RepairJob(
                (unit, terms, listener) -> {
                    if (first.getAndSet(false)) {
                        listener.endsEarlyBy(token -> {
                            agreed.countDown();
                            // The session ends before anybody knows what is left of the unit: it must not be told of
                            // yet.
                            told.await(200, TimeUnit.MILLISECONDS);
                            return true;
                        });
                        await(agreed);
                    }
                    return EQUAL;
                },
                List.of("one", "two"),
                ALL.ranges(),
                Optional.empty(),
                (unit, report) -> reported.add(unit),
                (table, report) -> {
                    tables.add(table + " after " + reported.size());
                    told.countDown();
                },
                (table, report) -> Map.of(),
                (unit, report) -> {},
                false,
                Optional.empty(),
                Duration.ZERO,
                System::nanoTime);
        job.run(builder(2).splits(Duration.ZERO), Duration.ZERO, () -> units(1));

        assertThat(reported).hasSizeGreaterThan(1).doesNotHaveDuplicates();
        assertThat(reported.stream().mapToDouble(RangeUnit::width).sum())
                .isBetween(0.999 * ALL.width(), 1.001 * ALL.width());
        assertThat(tables).containsExactly("ks.t after " + reported.size());
    }

    private RepairJob withCheckpoint(Path file, RepairJob.Attempt attempt, Map<Integer, String> changed) {
        return new RepairJob(
                attempt,
                List.of("one", "two"),
                ALL.ranges(),
                Optional.empty(),
                (unit, report) -> reported.add(unit),
                (table, report) -> tables.add(table + " " + report.isKept() + " "
                        + report.replicas().get(0).unkept() + " " + report.coveredUntilSeconds()),
                (table, report) -> changed,
                (unit, report) -> {},
                false,
                Optional.of(file),
                Duration.ZERO,
                System::nanoTime);
    }

    @Test
    void shouldLookAtWhatAnEarlierRunDidOfATableThatIsNotDone(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("checkpoint");
        Map<String, String> identity = Map.of("kind", "repair");
        List<RangeUnit> two = units(2);
        RepairJob first = withCheckpoint(
                file,
                (unit, terms, listener) -> {
                    if (unit.equals(two.get(1))) {
                        throw new RepairException("fails here");
                    }
                    return EQUAL;
                },
                Map.of(0, "seen too early"));
        assertThatThrownBy(() -> first.run(builder(1).checkpoint(file, identity), Duration.ZERO, () -> two))
                .hasMessageContaining("fails here");
        assertThat(tables).isEmpty();

        withCheckpoint(
                        file,
                        (unit, terms, listener) -> EQUAL,
                        Map.of(0, "what it staged is gone", 1, "it was given nothing"))
                .run(builder(1).checkpoint(file, identity), Duration.ZERO, () -> two);

        Unkept gone = new Unkept(two.get(0).ranges().ranges(), 0, true, "what it staged is gone");
        assertThat(tables)
                .as("what the second part staged is as it was written")
                .containsExactly("ks.t false [" + gone + "] 0");
    }
}
