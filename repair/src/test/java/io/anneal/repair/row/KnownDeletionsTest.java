package io.anneal.repair.row;

import static io.anneal.testkit.HandMadeTable.clustering;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.testkit.HandMadeTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Against a model that asks every deletion at every place. */
class KnownDeletionsTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final DecoratedKey KEY = HandMadeTable.keys(1).get(0);
    /** Ranges end around even places only, so that odd ones tell of the gaps between two. */
    private static final int PLACES = 20;

    private final ClusteringComparator comparator = ClusteringComparator.of(HandMadeTable.schema(0));

    @Test
    void shouldAnswerAsModelDoesWhenDeletionsAreRandom() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 500; seed++) {
            Random random = new Random(seed);
            KnownDeletions known = new KnownDeletions(HandMadeTable.schema(0));
            List<DeletionItem> model = new ArrayList<>();
            for (int i = random.nextInt(8); i > 0; i--) {
                DeletionItem next = random.nextInt(6) == 0
                        ? DeletionItem.ofPartition(KEY, deletion(random))
                        : DeletionItem.ofRange(KEY, range(random));
                assertThat(known.adds(next)).as("seed=%d", seed).isEqualTo(adds(model, next));
                known.add(next);
                model.add(next);
                assertThat(known.adds(next)).as("seed=%d, again", seed).isFalse();
            }
            for (int place = 0; place < PLACES; place++) {
                assertThat(known.covering(KEY, clustering(place, 0)))
                        .as("seed=%d, place=%d", seed, place)
                        .isEqualTo(covering(model, clustering(place, 0)));
            }
            overlappingShouldBeWhatBeatsPartition(known, model, range(random), seed);
            for (DeletionItem item : model) {
                assertThat(known.isInForce(item)).as("seed=%d", seed).isEqualTo(isInForce(model, item));
            }
        }
    }

    private void overlappingShouldBeWhatBeatsPartition(
            KnownDeletions known, List<DeletionItem> model, RangeDeletion within, long seed) {
        List<RangeDeletion> steps = known.overlapping(KEY, within);
        for (int place = 0; place < PLACES; place++) {
            Clustering row = clustering(place, 0);
            if (!covers(within, row)) {
                continue;
            }
            DeletionTime expected = covering(model, row);
            List<DeletionTime> found = steps.stream()
                    .filter(step -> covers(step, row))
                    .map(KnownDeletions::deletionOf)
                    .toList();
            assertThat(found)
                    .as("seed=%d, place=%d", seed, place)
                    .isEqualTo(expected.equals(known.partitionDeletion(KEY)) ? List.of() : List.of(expected));
        }
        assertThat(steps).as("seed=%d", seed).allMatch(step -> overlap(step, within));
    }

    private boolean overlap(RangeDeletion left, RangeDeletion right) {
        return comparator.compare(left.start(), left.startWeight(), right.end(), right.endWeight()) < 0
                && comparator.compare(right.start(), right.startWeight(), left.end(), left.endWeight()) < 0;
    }

    private boolean isInForce(List<DeletionItem> model, DeletionItem item) {
        if (item.isPartition()) {
            return model.stream()
                    .filter(DeletionItem::isPartition)
                    .noneMatch(other -> other.deletion().supersedes(item.deletion()));
        }
        for (int place = 0; place < PLACES; place++) {
            Clustering row = clustering(place, 0);
            if (covers(item.range().orElseThrow(), row) && item.deletion().equals(covering(model, row))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void shouldForgetWhenCleared() {
        KnownDeletions known = new KnownDeletions(HandMadeTable.schema(0));
        known.add(DeletionItem.ofPartition(KEY, new DeletionTime(1, 1)));

        known.clear();

        assertThat(known.isEmpty()).isTrue();
        assertThat(known.partitionDeletion(KEY)).isEqualTo(DeletionTime.LIVE);
        assertThat(known.steps(KEY)).isEmpty();
    }

    private boolean adds(List<DeletionItem> model, DeletionItem item) {
        if (item.isPartition()) {
            return model.stream()
                    .filter(DeletionItem::isPartition)
                    .noneMatch(other -> !item.deletion().supersedes(other.deletion()));
        }
        for (int place = 0; place < PLACES; place++) {
            Clustering row = clustering(place, 0);
            if (covers(item.range().orElseThrow(), row) && item.deletion().supersedes(covering(model, row))) {
                return true;
            }
        }
        return false;
    }

    private DeletionTime covering(List<DeletionItem> model, Clustering row) {
        DeletionTime strongest = DeletionTime.LIVE;
        for (DeletionItem item : model) {
            boolean covers = item.isPartition() || covers(item.range().orElseThrow(), row);
            if (covers && item.deletion().supersedes(strongest)) {
                strongest = item.deletion();
            }
        }
        return strongest;
    }

    private boolean covers(RangeDeletion range, Clustering row) {
        return comparator.compare(range.start(), range.startWeight(), row, ClusteringComparator.AT) < 0
                && comparator.compare(range.end(), range.endWeight(), row, ClusteringComparator.AT) > 0;
    }

    /** From before one place to after one that is not before it. */
    private static RangeDeletion range(Random random) {
        int from = random.nextInt(PLACES / 2);
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(clustering(2 * from));
        range.end().wrap(clustering(2 * (from + random.nextInt(PLACES / 2 - from))));
        range.weights(ClusteringComparator.BEFORE, ClusteringComparator.AFTER);
        DeletionTime deletion = deletion(random);
        range.deletion(deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
        return range;
    }

    private static DeletionTime deletion(Random random) {
        return new DeletionTime(random.nextInt(5), random.nextInt(3));
    }
}
