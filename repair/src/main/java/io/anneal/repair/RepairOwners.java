package io.anneal.repair;

import com.google.common.hash.Hashing;
import io.anneal.job.RangeUnit;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.net.PeerAddress;
import io.anneal.node.Ring;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Which of a repair's members own what: sets of them, each with the ranges that they own and no others. Immutable. */
final class RepairOwners {
    private final List<Member> members;
    private final boolean isOfRing;
    /** By the names of the members. */
    private final Map<List<String>, Together> sets = new LinkedHashMap<>();

    /**
     * A replica with its place among all.
     *
     * @param name of the units that it takes part in
     */
    record Member(int place, String name, RepairMember replica) {}

    /** Replicas, the master first, and what they and no others of the repair own. */
    record Together(List<Member> members, TokenRanges ranges) {
        List<RepairMember> replicas() {
            return members.stream().map(Member::replica).toList();
        }

        private List<String> names() {
            return RepairOwners.names(members);
        }
    }

    private RepairOwners(List<Member> members, boolean isOfRing, List<Together> sets) {
        this.members = members;
        this.isOfRing = isOfRing;
        sets.forEach(set -> this.sets.put(set.names(), set));
    }

    /**
     * @param owned by all of them; with a ring what is wanted of it, all if empty
     * @param nodes the members' names in the ring
     */
    static RepairOwners of(
            List<RepairMember> members, Optional<TokenRanges> owned, Optional<Ring> ring, List<String> nodes) {
        List<Member> all = members(members);
        if (owned.isEmpty() && ring.isEmpty()) {
            throw new IllegalArgumentException("a repair needs the range that its replicas own, or a ring");
        }
        if (ring.isEmpty()) {
            refuseEqualNames(members);
            return new RepairOwners(all, false, List.of(new Together(all, owned.orElseThrow())));
        }
        if (nodes.size() != members.size()) {
            throw new IllegalArgumentException(
                    "give each replica its name in the ring, replicas=" + members.size() + ", names=" + nodes);
        }
        // Two that own nothing together meet in no session, where they would be told apart.
        if (all.stream().map(Member::name).distinct().count() < all.size()) {
            throw new IllegalArgumentException("a replica is given as two nodes of the ring, replicas=" + names(all));
        }
        List<Together> sets = new ArrayList<>();
        ring.orElseThrow().byOwners(nodes).forEach((owning, ranges) -> {
            List<TokenRange> wanted = owned.map(ranges::within).orElse(ranges.ranges());
            if (owning.size() > 1 && !wanted.isEmpty()) {
                List<Member> those = all.stream()
                        .filter(member -> owning.contains(nodes.get(members.indexOf(member.replica()))))
                        .toList();
                sets.add(new Together(masterFirst(those, Member::replica), new TokenRanges(wanted)));
            }
        });
        if (sets.isEmpty()) {
            throw new IllegalArgumentException(
                    "no range of the ring that is wanted has two of these replicas, names=" + nodes);
        }
        return new RepairOwners(all, true, sets);
    }

    /** Reports and checkpoints know replicas of this process by their names; two on other nodes are told apart when they answer. */
    private static void refuseEqualNames(List<RepairMember> members) {
        Set<String> names = new HashSet<>();
        for (RepairMember member : members) {
            if (member instanceof RepairMember.Here here && !here.name().isEmpty() && !names.add(here.name())) {
                throw new IllegalArgumentException("two replicas of this process have one name, name=" + here.name());
            }
        }
    }

    /** All, in the order in which they would be of one session. */
    static List<Member> members(List<RepairMember> given) {
        List<Member> ordered = new ArrayList<>();
        for (RepairMember replica : masterFirst(given)) {
            String name = replica instanceof RepairMember.Here here ? here.name() : name((RepairMember.There) replica);
            int place = ordered.size();
            ordered.add(new Member(place, name.isEmpty() ? "replica-" + (place + 1) : name, replica));
        }
        return ordered;
    }

    static String name(RepairMember.There node) {
        return PeerAddress.text(node.address()) + (node.name().isEmpty() ? "" : "/" + node.name());
    }

    static List<RepairMember> masterFirst(List<RepairMember> given) {
        return masterFirst(given, member -> member);
    }

    /** The first of this process is the master, or else the first. */
    private static <T> List<T> masterFirst(List<T> given, Function<T, RepairMember> member) {
        List<T> ordered = new ArrayList<>(given);
        for (T one : given) {
            if (member.apply(one) instanceof RepairMember.Here) {
                ordered.remove(one);
                ordered.add(0, one);
                break;
            }
        }
        return ordered;
    }

    private static List<String> names(List<Member> members) {
        return members.stream().map(Member::name).toList();
    }

    /** @param place as {@link RepairReport.ReplicaReport#member} has it */
    RepairMember replica(int place) {
        return members.get(place).replica();
    }

    /** Of all members. */
    List<String> names() {
        return names(members);
    }

    /** What some of them own together. */
    List<TokenRange> ranges() {
        return sets.values().stream()
                .flatMap(set -> set.ranges().ranges().stream())
                .toList();
    }

    Together of(List<String> names) {
        Together set = sets.get(names);
        if (set == null) {
            throw new IllegalArgumentException("replicas own nothing together, replicas=" + names);
        }
        return set;
    }

    /** Each set of owners has units of its own of each table, one at least. */
    List<RangeUnit> units(List<String> tables, int units) {
        double all =
                sets.values().stream().mapToDouble(set -> set.ranges().width()).sum();
        List<RangeUnit> made = new ArrayList<>();
        for (String table : tables) {
            sets.forEach((names, set) -> {
                int count = (int) Math.max(1, Math.round(units * set.ranges().width() / all));
                made.addAll(RangeUnit.of(table, set.ranges(), names, count));
            });
        }
        return made;
    }

    /** In a few words, however many ranges there are. A ring that has changed is another repair. */
    String brief() {
        return isOfRing
                ? briefly(sets)
                : briefly(sets.values().iterator().next().ranges());
    }

    /** One by its ends, several by their number and a digest of all ends. */
    private static String briefly(TokenRanges tokens) {
        List<TokenRange> ranges = tokens.ranges();
        return ranges.size() == 1
                ? ranges.get(0).toString()
                : ranges.size() + " ranges, sha256=" + sha256(ranges.toString());
    }

    /** Who owns what. */
    private static String briefly(Map<List<String>, Together> sets) {
        SortedMap<String, String> owned = new TreeMap<>();
        sets.forEach((names, set) ->
                owned.put(names.toString(), set.ranges().ranges().toString()));
        return "of a ring, by " + sets.size() + " sets of owners, sha256=" + sha256(owned.toString());
    }

    private static String sha256(String text) {
        return Hashing.sha256().hashString(text, StandardCharsets.UTF_8).toString();
    }
}
