package io.anneal.simulation;

import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Which tokens each host of a world owns. */
final class Ownership {
    /**
     * Ranges that have the same owners.
     *
     * @param owners in the order of the hosts
     */
    record Owned(List<ReplicaHost> owners, List<TokenRange> ranges) {
        Owned {
            owners = List.copyOf(owners);
            ranges = List.copyOf(ranges);
        }
    }

    private final List<Owned> sets;

    private Ownership(List<Owned> sets) {
        this.sets = List.copyOf(sets);
    }

    /** Every host owns everything. */
    static Ownership full(List<ReplicaHost> hosts) {
        return new Ownership(List.of(new Owned(hosts, List.of(TokenRange.FULL))));
    }

    /**
     * A ring of hosts that have random tokens each, as vnodes; what ends with a token belongs to its host and to the next ones.
     *
     * @param factor how many hosts own a token
     * @param near some of the tokens are these, so that ranges end where partitions lie
     */
    static Ownership ring(List<ReplicaHost> hosts, int factor, int tokensEach, List<Long> near, Random random) {
        TreeMap<Long, Integer> ring = new TreeMap<>();
        for (int host = 0; host < hosts.size(); host++) {
            for (int added = 0; added < tokensEach; ) {
                long token = random.nextInt(3) == 0 ? near.get(random.nextInt(near.size())) : random.nextLong();
                added += ring.putIfAbsent(token, host) == null ? 1 : 0;
            }
        }
        List<Long> tokens = new ArrayList<>(ring.keySet());
        List<Integer> hostOf = new ArrayList<>(ring.values());
        Map<List<ReplicaHost>, List<TokenRange>> ranges = new LinkedHashMap<>();
        for (int i = 0; i < tokens.size(); i++) {
            long before = tokens.get((i + tokens.size() - 1) % tokens.size());
            List<Integer> owners = new ArrayList<>();
            for (int at = i; owners.size() < factor; at++) {
                int host = hostOf.get(at % tokens.size());
                if (!owners.contains(host)) {
                    owners.add(host);
                }
            }
            ranges.computeIfAbsent(owners.stream().sorted().map(hosts::get).toList(), set -> new ArrayList<>())
                    .add(new TokenRange(before, tokens.get(i)));
        }
        List<Owned> sets = new ArrayList<>();
        ranges.forEach((owners, owned) -> sets.add(new Owned(owners, owned)));
        return new Ownership(sets);
    }

    /** All ranges, each once. */
    List<Owned> sets() {
        return sets;
    }

    /** The same by the hosts' names. */
    Ring ring() {
        return new Ring(sets.stream()
                .flatMap(set -> set.ranges().stream()
                        .map(range -> new Ring.Part(
                                range,
                                set.owners().stream().map(ReplicaHost::name).toList())))
                .toList());
    }

    /** What a host owns. */
    List<TokenRange> of(ReplicaHost host) {
        return ranges(host, true);
    }

    /** What others own. */
    List<TokenRange> notOf(ReplicaHost host) {
        return ranges(host, false);
    }

    private List<TokenRange> ranges(ReplicaHost host, boolean owned) {
        return sets.stream()
                .filter(set -> set.owners().contains(host) == owned)
                .flatMap(set -> set.ranges().stream())
                .toList();
    }
}
