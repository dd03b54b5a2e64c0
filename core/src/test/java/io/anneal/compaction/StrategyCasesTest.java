package io.anneal.compaction;

import static io.anneal.compaction.StrategyTables.candidates;
import static io.anneal.compaction.StrategyTables.strategy;
import static io.anneal.compaction.StrategyTables.view;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What each strategy picks of a few SSTables. */
class StrategyCasesTest {
    private static final String SIZE_TIERED = "SizeTieredCompactionStrategy";
    private static final String LEVELLED = "LeveledCompactionStrategy";
    private static final String UNIFIED = "UnifiedCompactionStrategy";
    private static final String TIME_WINDOW = "TimeWindowCompactionStrategy";
    private static final long HOUR_MICROS = 3_600_000_000L;

    /** Sizes in MiB, named by number. */
    private static StubSSTable[] sizes(double... mib) {
        StubSSTable[] sstables = new StubSSTable[mib.length];
        for (int i = 0; i < mib.length; i++) {
            sstables[i] = StubSSTable.of(Integer.toString(i)).mib(mib[i]);
        }
        return sstables;
    }

    private static List<String> picked(CompactionStrategy strategy, StubSSTable... sstables) {
        return strategy.next(view(sstables))
                .map(task -> StubSSTable.names(task.inputs()))
                .orElse(List.of());
    }

    @Test
    void shouldCompactEnoughOfOneSize() {
        CompactionStrategy strategy = strategy(SIZE_TIERED);
        assertThat(picked(strategy, sizes(100, 100, 100))).isEmpty();
        assertThat(picked(strategy, sizes(100, 110, 90, 100))).containsExactly("0", "1", "2", "3");
        assertThat(picked(strategy, sizes(100, 200, 400, 800))).isEmpty();
        assertThat(picked(strategy, sizes(1, 10, 20, 40))).containsExactly("0", "1", "2", "3");
        assertThat(picked(strategy, sizes(400, 400, 400, 400, 100, 100, 100, 100)))
                .containsExactly("4", "5", "6", "7");
        assertThat(strategy.pending(view(sizes(400, 400, 400, 400, 100, 100, 100, 100))))
                .isEqualTo(2);
    }

    @Test
    void shouldObeyTheOptionsOfSizeTiers() {
        assertThat(picked(strategy(SIZE_TIERED, "min_threshold", "2"), sizes(100, 100)))
                .hasSize(2);
        assertThat(picked(strategy(SIZE_TIERED, "max_threshold", "5"), sizes(1, 1, 1, 1, 1, 1, 1)))
                .hasSize(5);
        assertThat(picked(strategy(SIZE_TIERED, "min_sstable_size", "500MiB"), sizes(1, 100, 200, 400)))
                .hasSize(4);
        assertThat(picked(strategy(SIZE_TIERED, "bucket_high", "2.5"), sizes(100, 200, 200, 200)))
                .hasSize(4);
        assertThat(strategy(SIZE_TIERED).major(view(sizes(1, 100, 1000)))).hasSize(1);
    }

    private static StubSSTable ofLevel(String name, int level, int firstPercent, int lastPercent) {
        return StubSSTable.of(name)
                .level(level)
                .percent(firstPercent, lastPercent)
                .mib(160);
    }

    @Test
    void shouldRaiseNewSSTablesWithWhatTheyOverlap() {
        CompactionStrategy strategy = strategy(LEVELLED);
        CompactionTask task = strategy.next(view(
                        ofLevel("new", 0, 0, 40),
                        ofLevel("new2", 0, 10, 50),
                        ofLevel("a", 1, 0, 20),
                        ofLevel("b", 1, 45, 60),
                        ofLevel("c", 1, 70, 90)))
                .orElseThrow();
        assertThat(StubSSTable.names(task.inputs())).containsExactly("a", "b", "new", "new2");
        assertThat(task.level()).isEqualTo(1);
        assertThat(task.outputSizeLimitBytes()).isEqualTo(160L << 20);
    }

    @Test
    void shouldCompactSmallNewSSTablesAmongThemselves() {
        CompactionTask task = strategy(LEVELLED).next(view(sizes(1, 1, 1, 1))).orElseThrow();
        assertThat(task.level()).isZero();
        assertThat(picked(strategy(LEVELLED), sizes(1, 1, 1))).isEmpty();
    }

    @Test
    void shouldRaiseTheSSTableWithLeastAboveItWhenALevelIsFull() {
        List<StubSSTable> sstables = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            sstables.add(ofLevel("a" + i, 1, 9 * i, 9 * i + 9));
        }
        // Above all but one there is something.
        for (int i = 0; i < 11; i++) {
            if (i != 4) {
                sstables.add(ofLevel("b" + i, 2, 9 * i + 1, 9 * i + 8));
            }
        }
        CompactionTask task = strategy(LEVELLED)
                .next(view(sstables.toArray(StubSSTable[]::new)))
                .orElseThrow();
        assertThat(StubSSTable.names(task.inputs())).containsExactly("a4");
        assertThat(task.level()).isEqualTo(2);
    }

    @Test
    void shouldKeepClearOfWhatIsBeingCompacted() {
        CompactionStrategy strategy = strategy(LEVELLED);
        List<CompactionCandidate> idle = candidates(ofLevel("new", 0, 0, 40), ofLevel("new2", 0, 0, 40));
        List<CompactionCandidate> above = candidates(ofLevel("busy", 1, 30, 60));
        List<CompactionCandidate> apart = candidates(ofLevel("busy", 1, 50, 60));
        List<CompactionCandidate> alsoNew = candidates(ofLevel("busy", 0, 50, 60));
        assertThat(strategy.next(new CompactionView(idle, above, Long.MAX_VALUE, 0)))
                .isEmpty();
        assertThat(strategy.next(new CompactionView(idle, alsoNew, Long.MAX_VALUE, 0)))
                .isEmpty();
        assertThat(strategy.next(new CompactionView(idle, apart, Long.MAX_VALUE, 0)))
                .isPresent();
    }

    @Test
    void shouldTreatAnImportedSSTableThatOverlapsItsLevelAsNew() {
        CompactionTask task = strategy(LEVELLED)
                .next(view(ofLevel("a", 2, 0, 40), ofLevel("imported", 2, 20, 60), ofLevel("new", 0, 0, 99)))
                .orElseThrow();
        assertThat(StubSSTable.names(task.inputs())).containsExactly("imported", "new");
        assertThat(task.level()).isEqualTo(1);
    }

    @Test
    void shouldCompactAllIntoTheLevelThatHoldsIt() {
        StubSSTable[] many = new StubSSTable[30];
        for (int i = 0; i < many.length; i++) {
            many[i] = ofLevel("a" + i, 0, 0, 99);
        }
        assertThat(strategy(LEVELLED).major(view(many)))
                .singleElement()
                .satisfies(task -> assertThat(task.level()).isEqualTo(2));
    }

    @Test
    void shouldReadScalingParameters() {
        for (String[] expected : new String[][] {
            {"T4", "4", "4"}, {"L10", "10", "2"}, {"N", "2", "2"}, {"2", "4", "4"}, {"-8", "10", "2"}, {"0", "2", "2"}
        }) {
            Unified unified = unified("scaling_parameters", expected[0]);
            assertThat(unified.fanout(0)).isEqualTo(Integer.parseInt(expected[1]));
            assertThat(unified.threshold(0)).isEqualTo(Integer.parseInt(expected[2]));
        }
        Unified mixed = unified("scaling_parameters", "T8, N, L4");
        assertThat(mixed.threshold(0)).isEqualTo(8);
        assertThat(mixed.threshold(1)).isEqualTo(2);
        assertThat(mixed.fanout(2)).isEqualTo(4);
        assertThat(mixed.fanout(9)).isEqualTo(4);
    }

    private static Unified unified(String... options) {
        return Unified.of(new CompactionOptions(Map.of(options[0], options[1])));
    }

    @Test
    void shouldCountLevelsByDensity() {
        Unified unified = unified("flush_size_override", "100MiB");
        assertThat(unified.levelOf(1)).isZero();
        assertThat(unified.levelOf(399L << 20)).isZero();
        assertThat(unified.levelOf(400L << 20)).isEqualTo(1);
        assertThat(unified.levelOf(1600L << 20)).isEqualTo(2);
        // The same bytes on a quarter of the ring are four times as dense.
        assertThat(unified.levelOf(Unified.density(
                        StubSSTable.of("a").mib(150).percent(0, 25).candidate())))
                .isEqualTo(1);
        // A few partitions do not tell how dense it is.
        assertThat(unified.levelOf(Unified.density(
                        StubSSTable.of("a").mib(150).percent(0, 1).partitions(2).candidate())))
                .isZero();
    }

    @Test
    void shouldCutDenserOutputsIntoMoreParts() {
        Unified unified = unified("sstable_growth", "0");
        assertThat(unified.parts(50L << 20)).isEqualTo(1);
        assertThat(unified.parts(250L << 20)).isEqualTo(2);
        assertThat(unified.parts(1L << 30)).isEqualTo(4);
        assertThat(unified.parts(16L << 30)).isEqualTo(16);
        assertThat(unified("sstable_growth", "1").parts(1L << 40)).isEqualTo(4);
        assertThat(unified("sstable_growth", "0.5").parts(64L << 30)).isEqualTo(16);
    }

    @Test
    void shouldCompactOnlyWhatOverlaps() {
        CompactionStrategy strategy = strategy(UNIFIED, "scaling_parameters", "L4");
        assertThat(picked(
                        strategy,
                        StubSSTable.of("a").percent(0, 25),
                        StubSSTable.of("b").percent(26, 50),
                        StubSSTable.of("c").percent(51, 75),
                        StubSSTable.of("d").percent(60, 99)))
                .containsExactly("c", "d");
        assertThat(strategy.major(view(
                        StubSSTable.of("a").percent(0, 25),
                        StubSSTable.of("b").percent(26, 50),
                        StubSSTable.of("c").percent(40, 75))))
                .extracting(task -> StubSSTable.names(task.inputs()))
                .containsExactly(List.of("a"), List.of("b", "c"));
    }

    private static StubSSTable ofHour(String name, int hour) {
        return StubSSTable.of(name).micros(hour * HOUR_MICROS, hour * HOUR_MICROS + 5);
    }

    @Test
    void shouldCompactWindowsApart() {
        CompactionStrategy strategy =
                strategy(TIME_WINDOW, "compaction_window_unit", "HOURS", "compaction_window_size", "1");
        assertThat(picked(strategy, ofHour("a", 1), ofHour("b", 2), ofHour("c", 3)))
                .isEmpty();
        assertThat(picked(strategy, ofHour("a", 1), ofHour("b", 1), ofHour("c", 3)))
                .containsExactly("a", "b");
        // More is coming to the newest.
        assertThat(picked(strategy, ofHour("a", 1), ofHour("b", 3), ofHour("c", 3)))
                .isEmpty();
        assertThat(picked(strategy, ofHour("a", 3), ofHour("b", 3), ofHour("c", 3), ofHour("d", 3)))
                .hasSize(4);
        assertThat(strategy.major(view(ofHour("a", 1), ofHour("b", 2), ofHour("c", 1))))
                .extracting(task -> StubSSTable.names(task.inputs()))
                .containsExactly(List.of("a", "c"), List.of("b"));
        Optional<CompactionTask> whileNewestIsBusy = strategy.next(new CompactionView(
                candidates(ofHour("a", 1), ofHour("b", 1)), candidates(ofHour("c", 1)), Long.MAX_VALUE, 0));
        assertThat(whileNewestIsBusy).isEmpty();
    }

    @Test
    void shouldReadTimestampsInTheirResolution() {
        CompactionStrategy strategy = strategy(
                TIME_WINDOW,
                "compaction_window_unit",
                "MINUTES",
                "compaction_window_size",
                "30",
                "timestamp_resolution",
                "MILLISECONDS");
        StubSSTable[] halfAnHourApart = {
            StubSSTable.of("a").micros(0, 1_799_999), StubSSTable.of("b").micros(0, 1_800_000)
        };
        assertThat(strategy.major(view(halfAnHourApart))).hasSize(2);
    }

    /** As they come from a stream, or when the number of shards has changed. */
    @Test
    void shouldKeepWindowsApartWhenSharedSSTablesGoToTheirShards() {
        CompactionStrategy strategy =
                strategy(TIME_WINDOW, "compaction_window_unit", "HOURS", "compaction_window_size", "1");
        StubSSTable[] shared = {
            ofHour("a", 1).shard(CompactionCandidate.SHARED),
            ofHour("b", 3).shard(CompactionCandidate.SHARED),
            ofHour("c", 1).shard(CompactionCandidate.SHARED)
        };

        assertThat(picked(strategy, shared)).containsExactly("a", "c");
        assertThat(strategy.pending(view(shared))).isEqualTo(2);
        assertThat(strategy.major(view(shared)))
                .extracting(task -> StubSSTable.names(task.inputs()))
                .containsExactly(List.of("a", "c"), List.of("b"));
    }
}
