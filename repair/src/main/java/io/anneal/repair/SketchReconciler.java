package io.anneal.repair;

import io.anneal.repair.hashes.HashDifference;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.SketchDecoder;
import io.anneal.repair.message.RepairCount;
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
    /** A byte on the wire, where sixteen sessions share a gigabit a second. */
    private static final double BYTE_NANOS = 100;

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
    private final RepairMeter meter;
    private final boolean needsHashes;

    /** Differences for each item, as the last windows have taught; less than 0 before the first. */
    private double share = -1;

    /** @param needsHashes whether each hash must be known before anything is fetched */
    SketchReconciler(List<Participant> followers, ListReconciler lists, RepairMeter meter, boolean needsHashes) {
        this.followers = followers;
        this.lists = lists;
        this.meter = meter;
        this.needsHashes = needsHashes;
    }

    @Override
    public List<FollowerDifference> differences(long[] mine, WindowSummary.Sum sum, List<WindowSummary.Sum> theirs)
            throws IOException {
        Map<WindowSummary.Sum, FollowerDifference> bySum = new HashMap<>();
        bySum.put(sum, FollowerDifference.of(sum, HashDifference.NONE));
        addEmpty(mine, theirs, bySum);
        Map<WindowSummary.Sum, Peeling> open = new LinkedHashMap<>();
        for (int i = 0; i < followers.size(); i++) {
            if (!bySum.containsKey(theirs.get(i))) {
                open.putIfAbsent(theirs.get(i), new Peeling(followers.get(i), theirs.get(i)));
            }
        }
        if (!open.isEmpty()) {
            sketch(mine, List.copyOf(open.values()), bySum);
            listRest(mine, theirs, bySum);
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
                bySum.put(other, FollowerDifference.of(other, new HashDifference(HashList.EMPTY, HashList.of(mine))));
            } else if (mine.length == 0 && others.size() == 1 && !needsHashes) {
                bySum.put(other, FollowerDifference.whole(other));
            }
        }
    }

    private void listRest(long[] mine, List<WindowSummary.Sum> theirs, Map<WindowSummary.Sum, FollowerDifference> bySum)
            throws IOException {
        if (!bySum.keySet().containsAll(theirs)) {
            meter.add(RepairCount.WINDOWS_LIST, 1);
            lists.ask(mine, theirs, bySum);
        }
    }

    private void learn(
            int items, Map<WindowSummary.Sum, Peeling> asked, Map<WindowSummary.Sum, FollowerDifference> bySum) {
        int most = 0;
        long mostItems = items;
        for (WindowSummary.Sum sum : asked.keySet()) {
            most = Math.max(most, bySum.get(sum).size());
            mostItems = Math.max(mostItems, sum.count());
        }
        double now = (double) most / Math.max(1, mostItems);
        share = share < 0 ? now : share + LEARNED_SHARE * (now - share);
    }

    /** What is known of one follower, whose answer counts for all with its sum. */
    private static final class Peeling {
        private final Participant follower;
        private final WindowSummary.Sum sum;
        private final SketchDecoder decoder = new SketchDecoder();
        private boolean ended;

        Peeling(Participant follower, WindowSummary.Sum sum) {
            this.follower = follower;
            this.sum = sum;
        }

        /** What does not add up is left for a list: a hash that is there twice, or one chance in billions. */
        void take(Sketch slice, Sketch own, long[] mine, Map<WindowSummary.Sum, FollowerDifference> bySum) {
            boolean done = decoder.add(slice, own);
            ended = done || decoder.isContradicting();
            if (done) {
                HashDifference found = new HashDifference(decoder.theirs(), decoder.own());
                if (found.leadsTo(mine, sum.count(), sum.low())) {
                    bySum.put(sum, FollowerDifference.of(sum, found));
                }
            }
        }
    }

    /** Puts in what sketches tell; what they do not is left for lists. */
    private void sketch(long[] mine, List<Peeling> asked, Map<WindowSummary.Sum, FollowerDifference> bySum)
            throws IOException {
        long most = mine.length;
        long differences = share < 0 ? UNKNOWN_DIFFERENCES : 1;
        for (Peeling peeling : asked) {
            most = Math.max(most, peeling.sum.count());
            differences = Math.max(differences, Math.abs(peeling.sum.count() - mine.length));
        }
        differences = Math.max(differences, (long) Math.ceil(share * most));
        Way way = share < 0 && most >= UNKNOWN_RANGES_MIN ? Way.RANGES : cheapest(most, differences);
        HashRanges ranges = HashRanges.ALL;
        if (way == Way.RANGES) {
            ranges = differingRanges(mine, asked);
            differences = Math.max(1, HashRanges.differences(ranges.count()));
            way = listNanos(most) < sketchNanos(most, ranges.count(), differences) ? Way.LIST : Way.SKETCH;
        }
        if (way == Way.SKETCH) {
            meter.add(RepairCount.WINDOWS_SKETCH, 1);
            peel(mine, ranges, symbols(differences), most, asked, bySum);
        }
    }

    private static Way cheapest(long items, long differences) {
        double sketch = sketchNanos(items, HashRanges.COUNT, differences);
        double ranges = QUESTION_NANOS
                + RANGED_NANOS * items
                + BYTE_NANOS * RangeSums.BYTES
                + sketchNanos(items, HashRanges.differing(differences), differences);
        if (listNanos(items) < Math.min(sketch, ranges)) {
            return Way.LIST;
        }
        return sketch <= ranges ? Way.SKETCH : Way.RANGES;
    }

    private static double listNanos(long items) {
        return items * (LISTED_NANOS + BYTE_NANOS * Long.BYTES);
    }

    private static double sketchNanos(long items, int ranges, long differences) {
        int symbols = symbols(differences);
        double sketched = (double) items * ranges / HashRanges.COUNT;
        return sketched * (SKETCHED_NANOS + SKETCHED_SYMBOL_NANOS * Math.log(symbols))
                + BYTE_NANOS * Sketch.SYMBOL_BYTES * symbols;
    }

    /** Nearly always enough for about so many differences. */
    private static int symbols(long differences) {
        return (int) Math.min(Sketch.SYMBOLS_MAX, Math.ceil(4 + 1.4 * (differences + 1.3 * Math.sqrt(differences))));
    }

    private HashRanges differingRanges(long[] mine, List<Peeling> asked) throws IOException {
        meter.add(RepairCount.WINDOWS_RANGE_SUMS, 1);
        List<CompletableFuture<RangeSums>> asking =
                asked.stream().map(peeling -> peeling.follower.sums()).toList();
        RangeSums own = RangeSums.of(mine);
        HashRanges differing = HashRanges.NONE;
        for (RangeSums theirs : meter.awaitAll(asking)) {
            meter.add(RepairCount.RANGE_SUMS, HashRanges.COUNT);
            differing = differing.with(own.differing(theirs));
        }
        return differing;
    }

    /** Asks for more symbols until all is found, or until a list is shorter. */
    private void peel(
            long[] mine,
            HashRanges ranges,
            int symbols,
            long most,
            List<Peeling> asked,
            Map<WindowSummary.Sum, FollowerDifference> bySum)
            throws IOException {
        long[] items = ranges.filter(mine);
        Sketch own = Sketch.of(items, 0, 0);
        List<Peeling> open = new ArrayList<>(asked);
        int end = symbols;
        int first = 0;
        while (!open.isEmpty() && (long) end * Sketch.SYMBOL_BYTES < most * Long.BYTES) {
            List<CompletableFuture<Sketch>> asking = new ArrayList<>();
            for (Peeling peeling : open) {
                asking.add(peeling.follower.sketch(ranges, first, end));
            }
            own.extend(items, end);
            List<Sketch> slices = meter.awaitAll(asking);
            for (int i = 0; i < slices.size(); i++) {
                open.get(i).take(slices.get(i), own, mine, bySum);
                meter.add(RepairCount.SYMBOLS, end - first);
            }
            open.removeIf(peeling -> peeling.ended);
            first = end;
            end = Math.min(Sketch.SYMBOLS_MAX, end + end / 2 + 8);
            if (first == end) {
                return;
            }
        }
    }
}
