package io.anneal.repair;

import io.anneal.repair.hashes.HashDifference;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.WindowSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** By lists of all hashes: for deletions, which are few, and where most rows differ or a sketch does not tell. */
final class ListReconciler implements Reconciler {
    private final Phase phase;
    private final List<Participant> followers;
    private final RepairMeter meter;

    ListReconciler(Phase phase, List<Participant> followers, RepairMeter meter) {
        this.phase = phase;
        this.followers = followers;
        this.meter = meter;
    }

    @Override
    public List<FollowerDifference> differences(
            long[] mine, WindowSummary.Sum sum, List<WindowSummary.Sum> theirs, List<Sketch> ahead) throws IOException {
        Map<WindowSummary.Sum, FollowerDifference> bySum = new LinkedHashMap<>();
        bySum.put(sum, FollowerDifference.of(sum, HashDifference.NONE));
        ask(mine, theirs, bySum);
        return theirs.stream().map(bySum::get).toList();
    }

    /**
     * Asks one follower of each sum that is not there yet.
     *
     * @param bySum what is known by sum; takes the rest
     */
    void ask(long[] mine, List<WindowSummary.Sum> theirs, Map<WindowSummary.Sum, FollowerDifference> bySum)
            throws IOException {
        Map<WindowSummary.Sum, Participant> holders = new LinkedHashMap<>();
        for (int i = 0; i < followers.size(); i++) {
            if (!bySum.containsKey(theirs.get(i))) {
                holders.putIfAbsent(theirs.get(i), followers.get(i));
            }
        }
        if (holders.isEmpty()) {
            return;
        }
        List<CompletableFuture<long[]>> asked = new ArrayList<>();
        for (Participant holder : holders.values()) {
            asked.add(holder.hashes(phase));
        }
        HashList own = HashList.of(mine);
        List<long[]> answers = meter.awaitAll(asked);
        int next = 0;
        for (Map.Entry<WindowSummary.Sum, Participant> holder : holders.entrySet()) {
            HashList list = HashList.of(answers.get(next++));
            requireSum(holder.getValue(), list, holder.getKey());
            meter.add(RepairCount.HASHES, list.size());
            bySum.put(holder.getKey(), FollowerDifference.listed(holder.getKey(), own, list));
        }
    }

    private void requireSum(Participant follower, HashList list, WindowSummary.Sum sum) throws RepairException {
        if (list.size() != sum.count() || list.sum() != sum.low()) {
            throw new RepairException("hashes of a replica do not add up to its sum, replica=" + follower.name()
                    + ", phase=" + phase + ", hashes=" + list.size() + ", items=" + sum.count());
        }
    }
}
