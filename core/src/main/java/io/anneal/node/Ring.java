package io.anneal.node;

import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Which nodes own which ranges of a keyspace's tokens, as {@code nodetool describering KEYSPACE} prints it.
 *
 * @param parts ranges apart from each other
 */
public record Ring(List<Part> parts) {
    /**
     * A range with its owners.
     *
     * @param owners names of nodes, as the ring has them
     */
    public record Part(TokenRange range, List<String> owners) {
        public Part {
            Objects.requireNonNull(range, "range");
            Objects.requireNonNull(owners, "owners");
            owners = List.copyOf(owners);
        }
    }

    /** A range that one node is to have from another. */
    public record Move(String source, String target, TokenRange range) {}

    public Ring {
        Objects.requireNonNull(parts, "parts");
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("ring has no ranges");
        }
    }

    /**
     * Reads what {@code nodetool describering} printed, all of it.
     *
     * @throws IllegalArgumentException when there is no range in it, a line is cut, or the ranges are not the whole ring once
     */
    public static Ring parse(String text) {
        Objects.requireNonNull(text, "text");
        return new Ring(RingText.parse(text));
    }

    /**
     * The whole ring of these parts, whose owners are addresses, with ports or without.
     *
     * @throws IllegalArgumentException when they are not the whole ring once
     */
    public static Ring whole(List<Part> parts) {
        Objects.requireNonNull(parts, "parts");
        return new Ring(RingText.whole(new Ring(parts).parts()));
    }

    /** A ring in which all of these nodes own all of these ranges. */
    public static Ring of(List<TokenRange> ranges, Set<String> owners) {
        Objects.requireNonNull(ranges, "ranges");
        Objects.requireNonNull(owners, "owners");
        return new Ring(ranges.stream()
                .map(range -> new Part(range, List.copyOf(owners)))
                .toList());
    }

    /** All nodes. */
    public Set<String> owners() {
        Set<String> owners = new HashSet<>();
        parts.forEach(part -> owners.addAll(part.owners()));
        return owners;
    }

    /**
     * What a node needs to own what the ring says, each range from one of the sources: the one that gives least so far.
     *
     * @throws IllegalArgumentException when the ring has no such node, or no source owns a range that it owns
     */
    public List<Move> fill(String target, Set<String> sources) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(sources, "sources");
        requireKnown(target);
        Shares shares = new Shares();
        List<Move> moves = new ArrayList<>();
        for (Part part : parts) {
            if (part.owners().contains(target)) {
                String source = shares.least(part.owners().stream()
                                .filter(owner -> sources.contains(owner) && !owner.equals(target))
                                .toList())
                        .orElseThrow(() -> new IllegalArgumentException(
                                "no source owns a range that the target is to have: name another source, range="
                                        + part.range() + ", owners=" + part.owners() + ", sources=" + sources));
                shares.add(source, part.range());
                moves.add(new Move(source, target, part.range()));
            }
        }
        return moves;
    }

    /** The part of it that lies in these ranges. */
    public Ring within(List<TokenRange> ranges) {
        Objects.requireNonNull(ranges, "ranges");
        NavigableMap<Long, Owned> linear = linear();
        return new Ring(
                ranges.stream().flatMap(range -> inside(range, linear).stream()).toList());
    }

    /**
     * The ranges of the ring by which of some nodes own them; those of none of them by the empty list. Neighbours are one range,
     * and none goes around the ring past its smallest token.
     *
     * @param nodes in the order in which they stand among the owners of a range
     * @throws IllegalArgumentException when one is no node of the ring, or is there twice
     */
    public Map<List<String>, TokenRanges> byOwners(List<String> nodes) {
        Objects.requireNonNull(nodes, "nodes");
        nodes.forEach(this::requireKnown);
        if (new HashSet<>(nodes).size() < nodes.size()) {
            throw new IllegalArgumentException("node of the ring is given twice, nodes=" + nodes);
        }
        Map<List<String>, List<TokenRange>> ranges = new LinkedHashMap<>();
        for (Part part : ascending()) {
            List<String> owners = nodes.stream().filter(part.owners()::contains).toList();
            List<TokenRange> same = ranges.computeIfAbsent(owners, none -> new ArrayList<>());
            int last = same.size() - 1;
            if (last >= 0 && same.get(last).right() == part.range().left()) {
                same.set(
                        last, new TokenRange(same.get(last).left(), part.range().right()));
            } else {
                same.add(part.range());
            }
        }
        Map<List<String>, TokenRanges> byOwners = new LinkedHashMap<>();
        ranges.forEach((owners, same) -> byOwners.put(owners, new TokenRanges(same)));
        return byOwners;
    }

    /** From the smallest token on, the one that goes around the ring cut there. */
    private List<Part> ascending() {
        return parts.stream()
                .flatMap(part -> {
                    long left = part.range().left();
                    long right = part.range().right();
                    boolean isCut = part.range().wrapsAround() && right != Long.MIN_VALUE;
                    return isCut
                            ? Stream.of(
                                    new Part(new TokenRange(Long.MIN_VALUE, right), part.owners()),
                                    new Part(new TokenRange(left, Long.MIN_VALUE), part.owners()))
                            : Stream.of(part);
                })
                .sorted(Comparator.comparingLong(part -> part.range().left()))
                .toList();
    }

    /** Which share of the ring, from 0 to 1, has owners of which a test holds. */
    public double share(Predicate<List<String>> owners) {
        Objects.requireNonNull(owners, "owners");
        return parts.stream()
                        .filter(part -> owners.test(part.owners()))
                        .mapToDouble(part -> part.range().width())
                        .sum()
                / TokenRange.FULL.width();
    }

    /**
     * Neighbours of the same owners as one range. With vnodes there are hundreds where as many nodes as there are replicas own all:
     * given by turns, they would cut every SSTable.
     */
    public Ring joined() {
        List<Part> joined = new ArrayList<>();
        for (Part part : parts) {
            Part last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last != null
                    && last.range().right() == part.range().left()
                    && Set.copyOf(last.owners()).equals(Set.copyOf(part.owners()))) {
                TokenRange both =
                        new TokenRange(last.range().left(), part.range().right());
                joined.set(joined.size() - 1, new Part(both, last.owners()));
            } else {
                joined.add(part);
            }
        }
        return new Ring(joined);
    }

    /** What both nodes own. */
    public List<Move> common(String source, String target) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(target, "target");
        requireKnown(source);
        requireKnown(target);
        return parts.stream()
                .filter(part -> part.owners().containsAll(List.of(source, target)))
                .map(part -> new Move(source, target, part.range()))
                .toList();
    }

    /**
     * What the others need when a node leaves: of each range that it owns here, those that own it in the ring without the node,
     * and not here.
     *
     * @param without the ring as it is to be
     */
    public List<Move> leave(String leaving, Ring without) {
        Objects.requireNonNull(leaving, "leaving");
        Objects.requireNonNull(without, "without");
        requireKnown(leaving);
        if (without.owners().contains(leaving)) {
            throw new IllegalArgumentException("node is still in the ring that it has left, node=" + leaving);
        }
        NavigableMap<Long, Owned> linear = without.linear();
        List<Move> moves = new ArrayList<>();
        for (Part part : parts) {
            if (part.owners().contains(leaving)) {
                for (Part next : inside(part.range(), linear)) {
                    next.owners().stream()
                            .filter(owner -> !part.owners().contains(owner))
                            .forEach(owner -> moves.add(new Move(leaving, owner, next.range())));
                }
            }
        }
        return moves;
    }

    /** A part, or one of the pieces of one that goes around the ring. */
    private record Owned(TokenRange.Linear tokens, List<String> owners) {}

    /** By first token; ranges of a ring do not overlap. */
    private NavigableMap<Long, Owned> linear() {
        NavigableMap<Long, Owned> linear = new TreeMap<>();
        for (Part part : parts) {
            for (TokenRange.Linear tokens : part.range().unwrap()) {
                linear.put(tokens.first(), new Owned(tokens, part.owners()));
            }
        }
        return linear;
    }

    /** What of a ring lies in a range. */
    private static List<Part> inside(TokenRange range, NavigableMap<Long, Owned> linear) {
        List<Part> inside = new ArrayList<>();
        for (TokenRange.Linear tokens : range.unwrap()) {
            Long first = linear.floorKey(tokens.first());
            linear.subMap(first == null ? tokens.first() : first, true, tokens.last(), true).values().stream()
                    .filter(owned -> tokens.overlaps(owned.tokens()))
                    .forEach(owned -> inside.add(new Part(common(tokens, owned.tokens()), owned.owners())));
        }
        return inside;
    }

    private void requireKnown(String node) {
        if (!owners().contains(node)) {
            throw new IllegalArgumentException(
                    "ring has no such node: name it as NAME=HOST:PORT by the ring's name, node=" + node + ", nodes="
                            + owners().stream().sorted().toList());
        }
    }

    /** A range excludes where it begins; before the least token stands the greatest. */
    private static TokenRange common(TokenRange.Linear one, TokenRange.Linear other) {
        return new TokenRange(Math.max(one.first(), other.first()) - 1, Math.min(one.last(), other.last()));
    }

    /** How much of the ring each source gives. */
    private static final class Shares {
        private final Map<String, Double> widths = new HashMap<>();

        Optional<String> least(List<String> sources) {
            return sources.stream()
                    .min(Comparator.<String>comparingDouble(source -> widths.getOrDefault(source, 0.0))
                            .thenComparing(source -> source));
        }

        void add(String source, TokenRange range) {
            widths.merge(source, range.width(), Double::sum);
        }
    }
}
