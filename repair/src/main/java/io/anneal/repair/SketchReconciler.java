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
import java.util.Collection;
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
    /** A byte on the wire, where sixteen sessions share 128 megabits a second between data centres. */
    private static final double BYTE_NANOS = 1000;

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

    /** From which share of windows differing on symbols are asked for before it is known: after one that did. */
    private static final double AHEAD_SHARE = 0.25;

    private static final Sketch NO_SYMBOLS = Sketch.of(new long[0], 0, 0);

    private enum Way {
        SKETCH,
        RANGES,
        LIST
    }

    private final List<Participant> followers;
    private final ListReconciler lists;
    private final RepairMeter meter;
    private final boolean needsHashes;

    /** Differences for each item, as the last windows that differed have taught; less than 0 before the first. */
    private double share = -1;

    /** Items of the last window that differed. */
    private long itemsBefore;

    /** How many windows differ, of one. */
    private double windowsDiffering;

    /** @param needsHashes whether each hash must be known before anything is fetched */
    SketchReconciler(List<Participant> followers, ListReconciler lists, RepairMeter meter, boolean needsHashes) {
        this.followers = followers;
        this.lists = lists;
        this.meter = meter;
        this.needsHashes = needsHashes;
    }

    /**
     * How many symbols each follower is to send with the sums of the next window: as many as will do if it differs as the last
     * ones, where it probably does and a sketch of all is cheapest.
     */
    int symbolsAhead() {
        if (share < 0 || windowsDiffering < AHEAD_SHARE) {
            return 0;
        }
        long differences = expected(itemsBefore);
        return cheapest(itemsBefore, differences) == Way.SKETCH ? symbols(differences) : 0;
    }

    private long expected(long items) {
        return Math.max(1, (long) Math.ceil(share * items));
    }

    /** No follower's rows differed in a window. */
    void wereEqual() {
        windowsDiffering -= LEARNED_SHARE * windowsDiffering;
    }

    @Override
    public List<FollowerDifference> differences(
            long[] mine, WindowSummary.Sum sum, List<WindowSummary.Sum> theirs, List<Sketch> ahead) throws IOException {
        Map<WindowSummary.Sum, FollowerDifference> bySum = new HashMap<>();
        bySum.put(sum, FollowerDifference.of(sum, HashDifference.NONE));
        addEmpty(mine, theirs, bySum);
        windowsDiffering += LEARNED_SHARE * (1 - windowsDiffering);
        Map<WindowSummary.Sum, Peeling> open = new LinkedHashMap<>();
        for (int i = 0; i < followers.size(); i++) {
            if (!bySum.containsKey(theirs.get(i)) && !open.containsKey(theirs.get(i))) {
                Sketch slice = ahead.isEmpty() ? NO_SYMBOLS : ahead.get(i);
                open.put(theirs.get(i), new Peeling(followers.get(i), theirs.get(i), slice));
            }
        }
        if (!open.isEmpty()) {
            new Comparison(mine, open.values(), bySum).run();
            if (!bySum.keySet().containsAll(theirs)) {
                meter.add(RepairCount.WINDOWS_LIST, 1);
                lists.ask(mine, theirs, bySum);
            }
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

    private void learn(
            int items, Map<WindowSummary.Sum, Peeling> asked, Map<WindowSummary.Sum, FollowerDifference> bySum) {
        int most = 0;
        itemsBefore = items;
        for (WindowSummary.Sum sum : asked.keySet()) {
            most = Math.max(most, bySum.get(sum).size());
            itemsBefore = Math.max(itemsBefore, sum.count());
        }
        double now = (double) most / Math.max(1, itemsBefore);
        share = share < 0 ? now : share + LEARNED_SHARE * (now - share);
    }

    /** What is known of one follower, whose answer counts for all with its sum. */
    private static final class Peeling {
        private final Participant follower;
        private final WindowSummary.Sum sum;
        private final Sketch ahead;
        private final SketchDecoder decoder = new SketchDecoder();
        private boolean ended;

        Peeling(Participant follower, WindowSummary.Sum sum, Sketch ahead) {
            this.follower = follower;
            this.sum = sum;
            this.ahead = ahead;
        }
    }

    /** One window: puts in what sketches tell; what they do not is left for lists. */
    private final class Comparison {
        private final long[] mine;
        private final List<Peeling> open;
        private final Map<WindowSummary.Sum, FollowerDifference> bySum;
        /** The largest number of items that a replica has. */
        private final long most;

        private HashRanges ranges = HashRanges.ALL;
        /** Those of the master's hashes that lie in the ranges. */
        private long[] items;

        /** Of those items. */
        private Sketch own = Sketch.of(new long[0], 0, 0);

        Comparison(long[] mine, Collection<Peeling> asked, Map<WindowSummary.Sum, FollowerDifference> bySum) {
            this.mine = mine;
            this.bySum = bySum;
            items = mine;
            open = new ArrayList<>(asked);
            most = Math.max(
                    mine.length,
                    asked.stream()
                            .mapToLong(peeling -> peeling.sum.count())
                            .max()
                            .orElse(0));
        }

        void run() throws IOException {
            int symbols = takeAhead();
            if (open.isEmpty()) {
                meter.add(RepairCount.WINDOWS_SKETCH, 1);
                return;
            }
            // Symbols that were not enough are kept, and mean as many differences at least.
            long differences = Math.max(symbols, expected());
            Way way = symbols > 0 ? Way.SKETCH : cheapest(most, differences);
            if (way == Way.RANGES || share < 0 && most >= UNKNOWN_RANGES_MIN) {
                differences = narrow();
                way = listNanos(most) < sketchNanos(most, ranges.count(), differences) ? Way.LIST : Way.SKETCH;
            }
            if (way == Way.SKETCH) {
                meter.add(RepairCount.WINDOWS_SKETCH, 1);
                sketch(symbols(differences));
            }
        }

        private long expected() {
            long differences = share < 0 ? UNKNOWN_DIFFERENCES : SketchReconciler.this.expected(most);
            for (Peeling peeling : open) {
                differences = Math.max(differences, Math.abs(peeling.sum.count() - mine.length));
            }
            return differences;
        }

        /** Looks at what came with the sums; how many symbols that were. */
        private int takeAhead() {
            int symbols =
                    open.stream().mapToInt(peeling -> peeling.ahead.end()).max().orElse(0);
            if (symbols > 0) {
                own = Sketch.of(items, 0, symbols);
                open.forEach(peeling -> take(peeling, peeling.ahead));
                open.removeIf(peeling -> peeling.ended);
            }
            return symbols;
        }

        /** What does not add up is left for a list: a hash that is there twice, or one chance in billions. */
        private void take(Peeling peeling, Sketch slice) {
            SketchDecoder decoder = peeling.decoder;
            boolean done = decoder.add(slice, own);
            peeling.ended = done || decoder.isContradicting();
            if (done) {
                HashDifference found = new HashDifference(decoder.theirs(), decoder.own());
                if (found.leadsTo(mine, peeling.sum.count(), peeling.sum.low())) {
                    bySum.put(peeling.sum, FollowerDifference.of(peeling.sum, found));
                }
            }
        }

        /**
         * To the ranges in which any follower differs, so that one sketch of the master's serves for all. Returns about how
         * much the follower differs that differs most: that many its sketch must tell, however much others differ elsewhere.
         */
        private long narrow() throws IOException {
            meter.add(RepairCount.WINDOWS_RANGE_SUMS, 1);
            List<CompletableFuture<RangeSums>> asking =
                    open.stream().map(peeling -> peeling.follower.sums()).toList();
            RangeSums ownSums = RangeSums.of(mine);
            ranges = HashRanges.NONE;
            long differences = 1;
            for (RangeSums theirs : meter.awaitAll(asking)) {
                meter.add(RepairCount.RANGE_SUMS, HashRanges.COUNT);
                HashRanges differing = ownSums.differing(theirs);
                ranges = ranges.with(differing);
                differences = Math.max(differences, HashRanges.differences(differing.count()));
            }
            items = ranges.filter(mine);
            return differences;
        }

        /** Asks for more symbols until all is found, or until a follower's list is shorter, which it is soon where that has few rows. */
        private void sketch(int symbols) throws IOException {
            int end = symbols;
            leaveToLists(end);
            while (!open.isEmpty()) {
                List<CompletableFuture<Sketch>> asking = new ArrayList<>();
                for (Peeling peeling : open) {
                    asking.add(peeling.follower.sketch(ranges, peeling.decoder.end(), end));
                }
                own.extend(items, end);
                List<Sketch> slices = meter.awaitAll(asking);
                for (int i = 0; i < slices.size(); i++) {
                    meter.add(
                            RepairCount.SYMBOLS,
                            slices.get(i).end() - slices.get(i).first());
                    take(open.get(i), slices.get(i));
                }
                open.removeIf(peeling -> peeling.ended);
                end += end / 2 + 8;
                leaveToLists(end);
            }
        }

        private void leaveToLists(int end) {
            open.removeIf(peeling -> (long) end * Sketch.SYMBOL_BYTES >= peeling.sum.count() * Long.BYTES);
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
}
