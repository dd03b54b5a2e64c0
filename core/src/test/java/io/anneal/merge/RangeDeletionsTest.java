package io.anneal.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.StreamText;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** {@link RangeDeletionMerger} against a look at every place there is. */
class RangeDeletionsTest {
    private static final ClusteringComparator COMPARATOR = ClusteringComparator.of(TinyTable.SCHEMA);
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 1);

    private record Place(Clustering prefix, int weight) {}

    /** Every place beside and at the clusterings over {0, 1, 2}, in order; the second column is reversed. */
    private static final List<Place> PLACES = places();

    private static List<Place> places() {
        List<Place> places = new ArrayList<>();
        List<Clustering> prefixes = new ArrayList<>(List.of(Clustering.of()));
        for (byte i = 0; i < 3; i++) {
            prefixes.add(Clustering.of(new byte[] {i}));
            for (byte j = 0; j < 3; j++) {
                prefixes.add(Clustering.of(new byte[] {i}, new byte[] {j}));
            }
        }
        for (Clustering prefix : prefixes) {
            places.add(new Place(prefix, ClusteringComparator.BEFORE));
            places.add(new Place(prefix, ClusteringComparator.AFTER));
            if (prefix.size() == 2) {
                places.add(new Place(prefix, ClusteringComparator.AT));
            }
        }
        places.sort(RangeDeletionsTest::compare);
        return places;
    }

    private static int compare(Place left, Place right) {
        return COMPARATOR.compare(left.prefix(), left.weight(), right.prefix(), right.weight());
    }

    private static Place randomBound(SplittableRandom random) {
        while (true) {
            Place place = PLACES.get(random.nextInt(PLACES.size()));
            if (place.weight() != ClusteringComparator.AT) {
                return place;
            }
        }
    }

    private static RangeDeletion range(Place start, Place end, long micros, long seconds) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(start.prefix());
        range.end().wrap(end.prefix());
        range.weights(start.weight(), end.weight());
        range.deletion(micros, seconds);
        return range;
    }

    private static List<RangeDeletion> randomRanges(SplittableRandom random) {
        List<RangeDeletion> ranges = new ArrayList<>();
        for (int i = random.nextInt(8); i > 0; i--) {
            ranges.add(range(randomBound(random), randomBound(random), random.nextInt(4), 100 + random.nextInt(2)));
        }
        return ranges;
    }

    private static boolean covers(RangeDeletion range, Place place) {
        return COMPARATOR.compare(range.start(), range.startWeight(), place.prefix(), place.weight()) <= 0
                && COMPARATOR.compare(place.prefix(), place.weight(), range.end(), range.endWeight()) < 0;
    }

    /** What covers each place. */
    private static List<String> coverage(List<RangeDeletion> ranges, DeletionTime partition) {
        List<String> coverage = new ArrayList<>();
        for (Place place : PLACES) {
            DeletionTime greatest = partition;
            for (RangeDeletion range : ranges) {
                DeletionTime deletion = new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds());
                if (covers(range, place) && deletion.supersedes(greatest)) {
                    greatest = deletion;
                }
            }
            coverage.add(greatest.equals(partition) ? "nothing" : greatest.toString());
        }
        return coverage;
    }

    private static List<RangeDeletion> merge(List<RangeDeletion> ranges, DeletionTime partition) {
        RangeDeletionMerger merger = new RangeDeletionMerger(TinyTable.SCHEMA);
        ranges.forEach(merger::add);
        List<RangeDeletion> merged = new ArrayList<>();
        merger.merge(partition, range -> merged.add(range.copy()));
        return merged;
    }

    private static void assertDisjointAndJoined(List<RangeDeletion> ranges, String as) {
        for (int i = 0; i < ranges.size(); i++) {
            RangeDeletion range = ranges.get(i);
            assertThat(COMPARATOR.compare(range.start(), range.startWeight(), range.end(), range.endWeight()))
                    .as(as)
                    .isNegative();
            if (i > 0) {
                RangeDeletion before = ranges.get(i - 1);
                int gap = COMPARATOR.compare(before.end(), before.endWeight(), range.start(), range.startWeight());
                assertThat(gap).as(as).isNotPositive();
                if (gap == 0) {
                    assertThat(before.timestampMicros() == range.timestampMicros()
                                    && before.localDeletionTimeSeconds() == range.localDeletionTimeSeconds())
                            .as(as)
                            .isFalse();
                }
            }
        }
    }

    @Test
    void shouldMergeIntervalsAsALookAtEveryPlaceDoes() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 3000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<RangeDeletion> ranges = randomRanges(random);
            DeletionTime partition = random.nextInt(3) == 0 ? new DeletionTime(2, 100) : DeletionTime.LIVE;
            List<RangeDeletion> merged = merge(ranges, partition);
            assertDisjointAndJoined(merged, "seed=" + seed);
            assertThat(coverage(merged, DeletionTime.LIVE)).as("seed=%d", seed).isEqualTo(coverage(ranges, partition));
        }
    }

    @Test
    void shouldSplitAnIntervalAroundTheOneNestedInIt() {
        Place start = new Place(Clustering.of(new byte[] {1}), ClusteringComparator.BEFORE);
        Place innerStart = new Place(Clustering.of(new byte[] {3}), ClusteringComparator.BEFORE);
        Place innerEnd = new Place(Clustering.of(new byte[] {4}), ClusteringComparator.AFTER);
        Place end = new Place(Clustering.of(new byte[] {9}), ClusteringComparator.AFTER);
        List<RangeDeletion> merged =
                merge(List.of(range(innerStart, innerEnd, 9, 100), range(start, end, 5, 100)), DeletionTime.LIVE);
        assertThat(merged.stream().map(StreamText::range))
                .containsExactly(
                        "before[01] to before[03] deleted@5/100",
                        "before[03] to after[04] deleted@9/100",
                        "after[04] to after[09] deleted@5/100");
        assertThat(
                        merge(List.of(range(innerStart, innerEnd, 5, 99), range(start, end, 5, 100)), DeletionTime.LIVE)
                                .stream()
                                .map(StreamText::range))
                .containsExactly("before[01] to after[09] deleted@5/100");
    }
}
