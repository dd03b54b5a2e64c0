package io.anneal.compaction;

import static io.anneal.compaction.StrategyTables.candidates;
import static io.anneal.compaction.StrategyTables.strategy;
import static io.anneal.compaction.StrategyTables.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.compaction.CompactionTask.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a table's options say, and what all strategies do alike. It is 1000, gc_grace is 100. */
class CompactionStrategyTest {
    private static final String[] CLASSES = {
        "SizeTieredCompactionStrategy",
        "LeveledCompactionStrategy",
        "UnifiedCompactionStrategy",
        "TimeWindowCompactionStrategy"
    };

    private static StubSSTable dead(String name) {
        return StubSSTable.of(name).deadSeconds(899).micros(5, 8);
    }

    @Test
    void shouldKnowClassesByShortAndByFullName() {
        for (String name : CLASSES) {
            strategy(name);
            strategy("org.apache.cassandra.db.compaction." + name);
        }
        assertThatThrownBy(() -> strategy("DateTieredCompactionStrategy"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=class, value=DateTieredCompactionStrategy");
    }

    @ParameterizedTest
    @CsvSource({
        "SizeTieredCompactionStrategy, min_threshold, 1",
        "SizeTieredCompactionStrategy, max_threshold, 3",
        "SizeTieredCompactionStrategy, bucket_low, high",
        "SizeTieredCompactionStrategy, bucket_high, 0.4",
        "SizeTieredCompactionStrategy, min_sstable_size, much",
        "SizeTieredCompactionStrategy, tombstone_threshold, 0",
        "SizeTieredCompactionStrategy, tombstone_compaction_interval, 0",
        "SizeTieredCompactionStrategy, unchecked_tombstone_compaction, perhaps",
        "SizeTieredCompactionStrategy, enabled, 1",
        "SizeTieredCompactionStrategy, fanout_size, 10",
        "SizeTieredCompactionStrategy, min_threshold, 2147483648",
        "SizeTieredCompactionStrategy, bucket_high, NaN",
        "SizeTieredCompactionStrategy, min_sstable_size, 99999999999TiB",
        "SizeTieredCompactionStrategy, provide_overlapping_tombstones, all",
        "LeveledCompactionStrategy, sstable_size_in_mb, 0",
        "LeveledCompactionStrategy, sstable_size_in_mb, 9223372036854775807",
        "LeveledCompactionStrategy, sstable_size_in_mb, 10000000",
        "LeveledCompactionStrategy, fanout_size, 1",
        "LeveledCompactionStrategy, fanout_size, x",
        "UnifiedCompactionStrategy, scaling_parameters, Q4",
        "UnifiedCompactionStrategy, scaling_parameters, T1",
        "UnifiedCompactionStrategy, scaling_parameters, 2147483647",
        "UnifiedCompactionStrategy, scaling_parameters, -2147483648",
        "UnifiedCompactionStrategy, flush_size_override, 1KiB",
        "UnifiedCompactionStrategy, max_sstables_to_compact, 2147483648",
        "UnifiedCompactionStrategy, target_sstable_size, 10KiB",
        "UnifiedCompactionStrategy, min_sstable_size, 2GiB",
        "UnifiedCompactionStrategy, base_shard_count, 0",
        "UnifiedCompactionStrategy, sstable_growth, 1.5",
        "TimeWindowCompactionStrategy, compaction_window_unit, WEEKS",
        "TimeWindowCompactionStrategy, compaction_window_size, 0",
        "TimeWindowCompactionStrategy, compaction_window_size, 2147483648",
        "TimeWindowCompactionStrategy, timestamp_resolution, EONS",
        "TimeWindowCompactionStrategy, timestamp_resolution, DAYS",
        "TimeWindowCompactionStrategy, unsafe_aggressive_sstable_expiration, true",
    })
    void shouldNameTheOptionThatIsBad(String className, String option, String value) {
        assertThatThrownBy(() -> strategy(className, option, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=" + option);
    }

    @Test
    void shouldDropWhatHasExpiredWithoutRewritingInEveryStrategy() {
        for (String name : CLASSES) {
            CompactionTask task = strategy(name)
                    .next(view(dead("a"), dead("b"), StubSSTable.of("young").micros(9, 20)))
                    .orElseThrow();
            assertThat(task.reason()).isEqualTo(Reason.DROP_EXPIRED);
            assertThat(StubSSTable.names(task.inputs())).containsExactly("a", "b");
        }
    }

    @Test
    void shouldKeepAnSSTableWithAnExpiryThatOverflowed() {
        for (String name : CLASSES) {
            assertThat(strategy(name).next(view(dead("a").overflowedSeconds()))).isEmpty();
        }
    }

    @Test
    void shouldKeepExpiredSSTablesThatMayHideSomething() {
        CompactionStrategy strategy = strategy(CLASSES[0]);
        StubSSTable tie = StubSSTable.of("tie").micros(8, 20);
        assertThat(strategy.next(view(dead("a"), tie))).isEmpty();
        assertThat(strategy.next(view(dead("a").percent(0, 50), tie.percent(51, 100))))
                .isPresent();
        assertThat(strategy.next(
                        view(dead("a"), StubSSTable.of("t").micros(8, 20).shard(1))))
                .isPresent();
        assertThat(strategy.next(view(dead("a").deadSeconds(900)))).isEmpty();
        // What is being compacted or lies in memory counts, too.
        assertThat(strategy.next(new CompactionView(
                        candidates(dead("a")), candidates(StubSSTable.of("busy").micros(8, 20)), Long.MAX_VALUE, 1000)))
                .isEmpty();
        assertThat(strategy.next(new CompactionView(candidates(dead("a")), List.of(), 8, 1000)))
                .isEmpty();
        assertThat(strategy.next(new CompactionView(candidates(dead("a")), List.of(), 9, 1000)))
                .isPresent();
    }

    @Test
    void shouldKeepExpiredTombstonesOfCountersWhileAnyCounterIsLeft() {
        CompactionStrategy counters = StrategyTables.ofCounters(CLASSES[0]);
        assertThat(counters.next(view(dead("a"), StubSSTable.of("young").micros(9, 20))))
                .isEmpty();
        assertThat(counters.next(new CompactionView(candidates(dead("a")), List.of(), 9, 1000)))
                .isEmpty();
        assertThat(counters.next(view(dead("a")))).isPresent();
    }

    @Test
    void shouldGiveSharedSSTablesToTheirShardsRepairedOnesApart() {
        for (String name : CLASSES) {
            CompactionStrategy strategy = strategy(name);
            StubSSTable[] shared = {
                StubSSTable.of("a").shard(CompactionCandidate.SHARED),
                StubSSTable.of("b").shard(CompactionCandidate.SHARED).repaired(),
                StubSSTable.of("c").shard(CompactionCandidate.SHARED).level(2)
            };
            CompactionTask task = strategy.next(view(shared)).orElseThrow();
            assertThat(task.reason()).isEqualTo(Reason.RESHARD);
            assertThat(task.level()).isZero();
            assertThat(StubSSTable.names(task.inputs())).containsExactly("a", "c");
            assertThat(strategy.pending(view(shared))).isEqualTo(2);
            assertThat(strategy.major(view(shared))).hasSize(2);
        }
    }

    @Test
    void shouldNeverMixShardsOrRepairedWithOthers() {
        for (String name : CLASSES) {
            List<CompactionTask> tasks = strategy(name)
                    .major(view(
                            StubSSTable.of("a"),
                            StubSSTable.of("b").shard(1),
                            StubSSTable.of("c").repaired(),
                            StubSSTable.of("d")));
            assertThat(tasks)
                    .extracting(task -> StubSSTable.names(task.inputs()))
                    .containsExactlyInAnyOrder(List.of("a", "d"), List.of("b"), List.of("c"));
        }
    }

    @Test
    void shouldRewriteOneSSTableOfWhichMuchCanBePurged() {
        CompactionStrategy strategy = strategy(CLASSES[0], "tombstone_compaction_interval", "50");
        StubSSTable old = StubSSTable.of("old").droppable(0.5, 800).micros(1, 5).level(3);
        StubSSTable young = StubSSTable.of("young").micros(6, 9);
        CompactionTask task = strategy.next(view(old, young)).orElseThrow();
        assertThat(task.reason()).isEqualTo(Reason.TOMBSTONES);
        assertThat(StubSSTable.names(task.inputs())).containsExactly("old");
        assertThat(task.level()).isEqualTo(3);
    }

    @Test
    void shouldNotRewriteInVain() {
        CompactionStrategy strategy = strategy(CLASSES[0], "tombstone_compaction_interval", "50");
        StubSSTable few = StubSSTable.of("few").droppable(0.2, 800);
        StubSSTable recent = StubSSTable.of("recent").droppable(0.5, 950);
        StubSSTable justWritten = StubSSTable.of("new").droppable(0.5, 800).createdSeconds(990);
        assertThat(strategy.next(view(few, recent, justWritten))).isEmpty();
        StubSSTable old = StubSSTable.of("old").droppable(0.5, 800).micros(1, 5);
        StubSSTable inTheWay = StubSSTable.of("other").micros(5, 9);
        assertThat(strategy.next(view(old, inTheWay))).isEmpty();
        assertThat(strategy(CLASSES[0], "tombstone_compaction_interval", "50", "unchecked_tombstone_compaction", "true")
                        .next(view(old, inTheWay)))
                .isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"only_purge_repaired_tombstones"})
    void shouldKeepTombstonesThatAreNotRepairedWhenTold(String option) {
        CompactionStrategy strategy = strategy(CLASSES[0], "tombstone_compaction_interval", "50", option, "true");
        StubSSTable old = StubSSTable.of("old").droppable(0.5, 800);
        assertThat(strategy.next(view(old, dead("dead")))).isEmpty();
        assertThat(strategy.next(view(old.repaired()))).isPresent();
        assertThat(strategy.next(view(dead("dead").repaired()))).isPresent();
    }

    @Test
    void shouldDoNothingWhenDisabledUnlessAsked() {
        for (String name : CLASSES) {
            CompactionStrategy strategy = strategy(name, "enabled", "false");
            CompactionView view = view(
                    dead("a"),
                    dead("b"),
                    dead("c"),
                    dead("d"),
                    StubSSTable.of("s").shard(CompactionCandidate.SHARED));
            assertThat(strategy.next(view)).isEmpty();
            assertThat(strategy.pending(view)).isZero();
            assertThat(strategy.major(view)).isNotEmpty();
        }
    }
}
