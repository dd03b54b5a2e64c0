package io.anneal.cli.repair;

import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.node.Ring;
import io.anneal.repair.DriftSample;
import io.anneal.repair.Repair;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the replicas of a repair own: all the same ranges, or each what a ring says.
 *
 * @param ranges of all of them; with a ring what of it is compared, if not all
 * @param nodes the replicas' names in the ring, in their order
 */
record Ownership(Optional<TokenRanges> ranges, Optional<Ring> ring, List<String> nodes) {
    private static final double PERCENT_LEAST = 0.1;
    private static final double RING_WIDTH = 0x1p64;

    Ownership {
        nodes = List.copyOf(nodes);
    }

    static Ownership ofAll(TokenRanges ranges) {
        return new Ownership(Optional.of(ranges), Optional.empty(), List.of());
    }

    static Ownership of(Ring ring, List<String> nodes) {
        return new Ownership(Optional.empty(), Optional.of(ring), nodes);
    }

    /** The same of a sample alone. None of its slices lies in two ranges of the ring that have other owners. */
    Ownership sampled(DriftSample sample) {
        TokenRanges all = ring.map(parts -> parts.byOwners(nodes))
                .map(byOwners -> new TokenRanges(byOwners.entrySet().stream()
                        .filter(owned -> owned.getKey().size() > 1)
                        .flatMap(owned -> owned.getValue().ranges().stream())
                        .toList()))
                .orElseGet(ranges::orElseThrow);
        return new Ownership(Optional.of(sample.of(all)), ring, nodes);
    }

    Repair applyTo(Repair repair) {
        ranges.ifPresent(all -> repair.ranges(all.ranges()));
        ring.ifPresent(parts -> repair.ring(parts, nodes));
        return repair;
    }

    /** The ranges that are compared, and whose owners all take part. */
    List<TokenRange> complete() {
        return ring.isEmpty()
                ? ranges.orElseThrow().ranges()
                : ring.get().joined().parts().stream()
                        .filter(part -> nodes.containsAll(part.owners()))
                        .flatMap(
                                part -> ranges
                                        .map(compared -> compared.within(part.range()))
                                        .orElseGet(() -> List.of(part.range()))
                                        .stream())
                        .toList();
    }

    /** Whether every owner of every range of the ring takes part. */
    boolean isComplete() {
        return ring.isPresent() && nodes.containsAll(ring.get().owners());
    }

    /** How much of the ring is compared, of 1. */
    double share() {
        return ring.map(parts -> parts.share(owners -> given(owners) >= 2))
                .orElseGet(() -> ranges.orElseThrow().width() / RING_WIDTH);
    }

    /** In words. */
    String shareText() {
        return share() >= 1 ? "the whole ring" : percent(share()) + " of the ring";
    }

    /** What of the ring is not compared, or not with all of its replicas; and what follows where all take part. */
    List<String> notes() {
        if (ring.isEmpty()) {
            return List.of();
        }
        if (isComplete()) {
            return List.of("every replica of the ring takes part: as with --all-replicas");
        }
        List<String> notes = new ArrayList<>();
        double left = ring.get().share(owners -> given(owners) < 2);
        if (left > 0) {
            notes.add(percent(left) + " of the ring has only one of its replicas here, or none: not compared");
        }
        double some = ring.get().share(owners -> given(owners) >= 2 && given(owners) < owners.size());
        if (some > 0) {
            notes.add(percent(some) + " of the ring has replicas that are not here: compared among those that are");
        }
        return notes;
    }

    private long given(List<String> owners) {
        return owners.stream().filter(nodes::contains).count();
    }

    private static String percent(double share) {
        return 100 * share < PERCENT_LEAST
                ? "less than " + PERCENT_LEAST + " %"
                : String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
