package io.anneal.cli.runs;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.key.TokenRange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Until when tables are covered by runs. */
final class CoverageTest {
    private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
    private static final int OWNERS = 20;

    /**
     * A ring of vnodes by its sets of owners, a run each, again and again: each pair of ranges of each pair of runs is more than can be
     * looked at, by a factor of thousands.
     */
    @Test
    void shouldAddUpAThousandRunsOfVnodes() {
        List<TokenRange> vnodes = TokenRange.FULL.split(6 * 256);
        List<String> tables = IntStream.range(0, 20).mapToObj(i -> "ks.t" + i).toList();
        List<RunRecord> runs = new ArrayList<>();
        for (int i = 999; i >= 0; i--) {
            int owners = i % OWNERS;
            List<TokenRange> ranges = IntStream.range(0, vnodes.size())
                    .filter(vnode -> vnode % OWNERS == owners)
                    .mapToObj(vnodes::get)
                    .toList();
            runs.add(run(tables, replicas(owners), ranges, START.plusSeconds(i)));
        }

        List<Coverage> coverage = Coverage.of(runs, List.of());

        assertThat(coverage).extracting(Coverage::table).containsExactlyElementsOf(tables);
        assertThat(coverage).allSatisfy(table -> {
            assertThat(table.until()).as("the oldest of the last runs").contains(START.plusSeconds(980));
            assertThat(table.ringShare()).isBetween(0.999, 1.001);
            assertThat(table.replicas()).hasSize(OWNERS + 2);
        });
        assertThat(Coverage.basis(runs)).hasSize(OWNERS);
    }

    /** Each set has two nodes in common with the next one. */
    private static List<RecordedReplica> replicas(int owners) {
        return LongStream.range(owners, owners + 3)
                .mapToObj(node -> new RecordedReplica("node" + node, "/node" + node))
                .toList();
    }

    private static RunRecord run(
            List<String> tables, List<RecordedReplica> replicas, List<TokenRange> ranges, Instant started) {
        List<RecordedTable> done = tables.stream()
                .map(table -> new RecordedTable(
                        table, 0, 0, 0, 0, Optional.of(started), Optional.of(Duration.ofDays(10)), 0, Optional.empty()))
                .toList();
        return new RunRecord(
                new UUID(0, started.getEpochSecond()),
                List.of(),
                tables,
                replicas,
                ranges,
                false,
                List.of(started),
                Optional.of(started),
                RunRecord.Outcome.DONE,
                Optional.of(new RecordedProgress(started, 0, 0, 1, 1, 0, OptionalLong.empty())),
                done,
                Optional.empty());
    }
}
