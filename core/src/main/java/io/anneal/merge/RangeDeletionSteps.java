package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.OwnedClustering;
import io.anneal.key.PositionInPartition;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The range deletions of one partition as its cursor yields them, kept until the windows they fall into are known, and
 * then cut into intervals (rule 12 of the canonical form). A window is (after, up to]: the place behind a row that ends a
 * window is where it ends and the next begins, so a deletion that is open there is cut in two.
 *
 * <pre>
 *   steps      @5 |------------| @7 |--------------------| live
 *   windows    -------------) (------------) (--------------
 *   intervals    [@5      ]    [@5] [@7   ]   [@7       ]
 * </pre>
 *
 * Copies bounds into memory that is used again after {@link #clear()}. Owned by one thread.
 */
public final class RangeDeletionSteps {
    private final ClusteringComparator comparator;
    private final List<Step> steps = new ArrayList<>();
    private final RangeDeletion interval = new RangeDeletion();
    private final Clustering wholePartition = new Clustering();
    private int stepCount;

    private static final class Step {
        final OwnedClustering prefix = new OwnedClustering();
        int weight;
        long timestampMicros;
        long localDeletionTimeSeconds;

        boolean isLive() {
            return DeletionTime.isLive(timestampMicros, localDeletionTimeSeconds);
        }
    }

    public RangeDeletionSteps(TableSchema schema) {
        comparator = ClusteringComparator.of(schema);
    }

    /** Forgets everything: for the next partition. */
    public void clear() {
        stepCount = 0;
    }

    public boolean isEmpty() {
        return stepCount == 0;
    }

    /** Number of changes that are kept. */
    public int stepCount() {
        return stepCount;
    }

    /** Whether a deletion is open behind the last change. */
    public boolean isOpen() {
        return stepCount > 0 && !steps.get(stepCount - 1).isLive();
    }

    /** Adds a change; changes come in order. */
    public void add(RangeTombstoneChange change) {
        assert stepCount == 0 || compare(stepCount - 1, change.prefix(), change.weight()) < 0;
        if (stepCount == steps.size()) {
            steps.add(new Step());
        }
        Step step = steps.get(stepCount++);
        step.prefix.set(change.prefix());
        step.weight = change.weight();
        step.timestampMicros = change.timestampMicros();
        step.localDeletionTimeSeconds = change.localDeletionTimeSeconds();
    }

    private int compare(int step, Clustering prefix, int weight) {
        return comparator.compare(steps.get(step).prefix.clustering(), steps.get(step).weight, prefix, weight);
    }

    /**
     * Hands out the intervals of the window in order, each valid during the call only. Changes up to the window's end
     * must have been added.
     */
    public void cut(PositionInPartition after, PositionInPartition upTo, Consumer<RangeDeletion> out) {
        if (after.region() == PositionInPartition.Region.END || !isInOrBehindRows(upTo)) {
            return;
        }
        Clustering startPrefix = prefix(after);
        int startWeight = isInOrBehindRows(after) ? weight(after) : ClusteringComparator.BEFORE;
        Clustering endPrefix = prefix(upTo);
        int endWeight = weight(upTo);
        for (int i = 0; i < stepCount; i++) {
            Step step = steps.get(i);
            if (step.isLive()) {
                continue;
            }
            boolean startsInside = compare(i, startPrefix, startWeight) > 0;
            boolean endsInside = i + 1 < stepCount && compare(i + 1, endPrefix, endWeight) < 0;
            Clustering from = startsInside ? step.prefix.clustering() : startPrefix;
            int fromWeight = startsInside ? step.weight : startWeight;
            Clustering to = endsInside ? steps.get(i + 1).prefix.clustering() : endPrefix;
            int toWeight = endsInside ? steps.get(i + 1).weight : endWeight;
            if (comparator.compare(from, fromWeight, to, toWeight) >= 0) {
                continue;
            }
            interval.start().wrap(from);
            interval.end().wrap(to);
            interval.weights(fromWeight, toWeight);
            interval.deletion(step.timestampMicros, step.localDeletionTimeSeconds);
            out.accept(interval);
        }
    }

    /** Forgets the changes before the place, but not the deletion that is open there: for after a window. */
    public void forgetBefore(PositionInPartition position) {
        if (!isInOrBehindRows(position)) {
            return;
        }
        int passed = 0;
        while (passed < stepCount && compare(passed, prefix(position), weight(position)) <= 0) {
            passed++;
        }
        int forgotten = Math.max(0, passed - 1);
        List<Step> free = new ArrayList<>(steps.subList(0, forgotten));
        steps.subList(0, forgotten).clear();
        steps.addAll(free);
        stepCount -= forgotten;
    }

    private static boolean isInOrBehindRows(PositionInPartition position) {
        return position.region() == PositionInPartition.Region.CLUSTERED
                || position.region() == PositionInPartition.Region.END;
    }

    private Clustering prefix(PositionInPartition position) {
        return position.region() == PositionInPartition.Region.CLUSTERED ? position.prefix() : wholePartition;
    }

    /** A window's bound stands beside rows: behind the one that ends it. */
    private static int weight(PositionInPartition position) {
        return position.region() == PositionInPartition.Region.CLUSTERED
                        && position.weight() == ClusteringComparator.BEFORE
                ? ClusteringComparator.BEFORE
                : ClusteringComparator.AFTER;
    }
}
