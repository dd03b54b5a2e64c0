package io.anneal.streaming;

import io.anneal.key.TokenRange;
import io.anneal.streaming.message.Survey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
            owners = List.copyOf(owners);
        }
    }

    /** A range that one node is to have from another. */
    public record Move(String source, String target, TokenRange range) {}

    public Ring {
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
        return new Ring(RingText.parse(text));
    }

    /** A ring in which all of these nodes own all of these ranges. */
    public static Ring of(List<TokenRange> ranges, Set<String> owners) {
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

    /**
     * The same for a target with fewer ranges than it has sources: they are cut, so that all sources give about the same, and at
     * places where few of their SSTables are cut, since what is whole goes as it is.
     */
    public Ring cutFor(String target, List<StreamSource> sources, String qualifiedTable) throws IOException {
        long wanted =
                parts.stream().filter(part -> part.owners().contains(target)).count();
        if (wanted >= sources.size()) {
            return this;
        }
        List<Survey> surveys = new ArrayList<>();
        for (StreamSource source : sources) {
            surveys.add(SourceSurvey.ask(source, qualifiedTable));
        }
        RangeCuts cuts = new RangeCuts(surveys);
        List<Part> cut = new ArrayList<>();
        for (Part part : parts) {
            List<TokenRange> ranges =
                    part.owners().contains(target) ? cuts.cut(part.range(), sources.size()) : List.of(part.range());
            ranges.forEach(range -> cut.add(new Part(range, part.owners())));
        }
        return new Ring(cut);
    }

    /** The part of it that lies in these ranges. */
    public Ring within(List<TokenRange> ranges) {
        List<Part> inside = new ArrayList<>();
        for (TokenRange range : ranges) {
            for (Part part : parts) {
                common(range, part.range()).forEach(common -> inside.add(new Part(common, part.owners())));
            }
        }
        return new Ring(inside);
    }

    /** What both nodes own. */
    public List<Move> common(String source, String target) {
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
        requireKnown(leaving);
        if (without.owners().contains(leaving)) {
            throw new IllegalArgumentException("node is still in the ring that it has left, node=" + leaving);
        }
        List<Move> moves = new ArrayList<>();
        for (Part part : parts) {
            if (!part.owners().contains(leaving)) {
                continue;
            }
            for (Part next : without.parts()) {
                for (TokenRange common : common(part.range(), next.range())) {
                    next.owners().stream()
                            .filter(owner -> !part.owners().contains(owner))
                            .forEach(owner -> moves.add(new Move(leaving, owner, common)));
                }
            }
        }
        return moves;
    }

    private void requireKnown(String node) {
        if (!owners().contains(node)) {
            throw new IllegalArgumentException(
                    "ring has no such node: name it as NAME=HOST:PORT by the ring's name, node=" + node + ", nodes="
                            + owners().stream().sorted().toList());
        }
    }

    /** What two ranges have in common: none, one, or around the ring two. */
    private static List<TokenRange> common(TokenRange one, TokenRange other) {
        List<TokenRange> common = new ArrayList<>();
        for (TokenRange.Linear a : one.unwrap()) {
            for (TokenRange.Linear b : other.unwrap()) {
                long first = Math.max(a.first(), b.first());
                long last = Math.min(a.last(), b.last());
                if (first <= last) {
                    // A range excludes where it begins; before the least token stands the greatest.
                    common.add(new TokenRange(first - 1, last));
                }
            }
        }
        return common;
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
