package io.anneal.repair;

import io.anneal.net.Waiting;
import io.anneal.repair.hashes.HashDifference;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.SketchDecoder;
import io.anneal.repair.message.WindowSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * By as few bytes and as little work as it takes: nothing where one side has nothing, sums of ranges and sketches of what
 * lies in those that differ, sketches of all, or lists. Which is cheapest depends on how much differs: it learns that
 * from the windows before. Decision 15 in {@code docs/decisions} has the measurements behind the costs.
 */
final class SketchReconciler implements Reconciler {
    /** A byte on the wire, at a gigabit a second. */
    private static final double BYTE_NANOS = 8;

    /** A question and its answer: frames of both, and the work of both sides. */
    private static final double QUESTION_NANOS = 20_000 + 110 * BYTE_NANOS;

    /** A hash in the sums of its range, on both sides, and taken out of all by the range. */
    private static final double RANGED_NANOS = 6;

    /** A hash in a list: copied, sorted and looked up on the master. */
    private static final double LISTED_NANOS = 40;

    /** A hash in a sketch, on both sides, and in as many symbols as the logarithm of their number times this. */
    private static final double SKETCHED_NANOS = 20;

    private static final double SKETCHED_SYMBOL_NANOS = 11;

    /** Where nothing is known, sums of ranges tell how much differs; they are dear for fewer items. */
    private static final int UNKNOWN_RANGES_MIN = 1024;

    private static final int UNKNOWN_DIFFERENCES = 8;
    /** How much of what is learned the last window makes up. */
    private static final double LEARNED_SHARE = 0.3;

    private enum Way {
        SKETCH,
        RANGES,
        LIST
    }

    private final List<Participant> followers;
    private final ListReconciler lists;
    private final ReconciliationCounts counts;
    private final boolean needsHashes;

    /** Differences for each item, as the last windows have taught; less than 0 before the first. */
    private double share = -1;

    /** @param needsHashes whether each hash must be known before anything is fetched */
    SketchReconciler(
            List<Participant> followers, ListReconciler lists, ReconciliationCounts counts, boolean needsHashes) {
        this.followers = followers;
        this.lists = lists;
        this.counts = counts;
        this.needsHashes = needsHashes;
    }

    @Override
    public List<FollowerDifference> differences(
            long[] mine, WindowSummary.Sum sum, List<WindowSummary.Sum> theirs) throws IOException {
        Map<WindowSummary.Sum, FollowerDifference> bySum = new HashMap<>();
        bySum.put(sum, FollowerDifference.of(sum, HashDifference.NONE));
        addEmpty(mine, theirs, bySum);
        Map<WindowSummary.Sum, Peeling> open = new LinkedHashMap<>();
        for (int i = 0; i < followers.size(); i++) {
            if (!bySum.containsKey(theirs.get(i))) {
                open.putIfAbsent(theirs.get(i), new Peeling(followers.get(i), theirs.get(i)));
            }
        }
        if (open.isEmpty()) {
            counts.whole();
        } else {
            sketch(mine, List.copyOf(open.values()), bySum);
            lists.ask(mine, theirs, bySum);
            learn(mine.length, open, bySum);
        }
        return theirs.stream().map(bySum::get).toList();
    }

    /** Where one side has nothing, there is nothing to ask. */
    private void addEmpty(
            long[] mine, List<WindowSummary.Sum> theirs, Map<WindowSummary.Sum, FollowerDifference> bySum) {
        List<WindowSummary.Sum> others = theirs.stream()
                .filter(their -> !bySum.containsKey(their))
                .distinct()
                .toList();
        for (WindowSummary.Sum other : others) {
            if (other.count() == 0) {
                bySum.put(
                        other, FollowerDifference.of(other, new HashDifference(HashList.EMPTY, HashList.of(mine))));
            } else if (mine.length == 0 && others.size() == 1 && !needsHashes) {
                bySum.put(other, FollowerDifference.whole(other));
            }
        }
    }

    private void learn(
            int items,
            Map<WindowSummary.Sum, Peeling> asked,
            Map<WindowSummary.Sum, FollowerDifference> bySum) {
        int most = 0;
        long most​Items = items;
        for (WindowSummary.Sum sum : asked.keySet()) {
            most = Math.max(most, bySum.get(sum).size());
            most​Items = Math.max(most​Items, sum.count());
        }
        double now = (double) most / Math.max(1, most​Items);
        share = share < 0 ? now : share + LEARNED_SHARE * (now - share);
    }

    /** What is known of one follower, whose answer counts for all with its sum. */
    private static final class Peeling {
        private final Participant follower;
        private final WindowSummary.Sum sum;
        private final SketchDecoder decoder = new SketchDecoder();
        private boolean failed;

        Peeling(Participant follower, WindowSummary.Sum sum) {
            this.follower = follower;
            this.sum = sum;
        }
    }

    /** Puts in what sketches tell; lists are left for the rest. */
    private void sketch(long[] mine, List<Peeling> asked, Map<WindowSummary.Sum, FollowerDifference> bySum)
            throws IOException {
        long most = mine.length;
        long differences = 0;
        for (Peeling peeling : asked) {
            most = Math.max(most, peeling.sum.count());
            differences = Math.max(differences, Math.abs(peeling.sum.count() - mine.length));
        }
        Way way;
        if (share < 0) {
            differences = Math.max(differences, UNKNOWN_DIFFERENCES);
            way = most < UNKNOWN_RANGES_MIN ? cheapest(most, differences, false) : Way.RANGES;
        } else {
            differences = Math.max(differences, (long) Math.ceil(share * most));
            way = cheapest(most, differences, true);
        }
        long[] items = mine;
        HashRanges ranges = HashRanges.ALL;
        if (way == Way.RANGES) {
            ranges = differing(mine, asked);
            differences = Math.max(differences(mine, asked), HashRanges.differences(ranges.count()));
            items = ranges.filter(mine);
            way = cheapest(most, differences, false);
        }
        if (way == Way.SKETCH) {
            counts.sketched(!ranges.isAll());
            peel(mine, items, ranges, symbols(differences), most, asked, bySum);
        } else {
            counts.listed();
        }
    }
}
