package io.anneal.node;

import io.anneal.key.TokenRange;
import io.anneal.net.PeerAddress;
import io.anneal.node.Ring.Part;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the text of a ring. It must be the whole ring once: a range that is missing would be left out without a word, and of one
 * that is there twice nobody knows who owns it.
 */
final class RingText {
    private static final String BEGIN = "TokenRange(";
    /** An IPv6 address with a port has brackets of its own. */
    private static final Pattern PART = Pattern.compile(
            "TokenRange\\(start_token:(-?\\d+), end_token:(-?\\d+), endpoints:\\[((?:[^\\[\\]]|\\[[^\\[\\]]*\\])*+)\\]");

    private static final String REMEDY = ": give all that 'nodetool describering KEYSPACE' prints";

    private RingText() {}

    static List<Part> parse(String text) {
        // The same line twice says what it says once.
        List<Part> parts = text.lines()
                .filter(line -> line.contains(BEGIN))
                .map(RingText::part)
                .distinct()
                .toList();
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("text has no ranges of a ring" + REMEDY);
        }
        return whole(parts);
    }

    /** In the order of the ring, with names of nodes as short as they may be. */
    static List<Part> whole(List<Part> unordered) {
        List<Part> parts = unordered.stream()
                .sorted(Comparator.comparingLong(part -> part.range().left()))
                .toList();
        requireDistinctBegins(parts);
        parts = withoutPorts(parts);
        for (int i = 0; i < parts.size(); i++) {
            requireNext(parts.get(i), parts.get((i + 1) % parts.size()));
        }
        return parts;
    }

    private static Part part(String line) {
        Matcher part = PART.matcher(line);
        if (!part.find()) {
            throw new IllegalArgumentException("line of the ring is cut" + REMEDY + ", line=" + line.strip());
        }
        TokenRange range = TokenRange.parse(part.group(1) + ":" + part.group(2));
        List<String> owners = Arrays.stream(part.group(3).split(","))
                .map(String::strip)
                .filter(owner -> !owner.isEmpty())
                .toList();
        if (owners.isEmpty()) {
            throw new IllegalArgumentException("range of the ring has no owner" + REMEDY + ", range=" + range);
        }
        return new Part(range, owners);
    }

    /** Where hosts tell all nodes apart, as they do for {@code nodetool} without {@code -pp}. */
    private static List<Part> withoutPorts(List<Part> parts) {
        Map<String, String> nodes = new HashMap<>();
        parts.forEach(part -> part.owners().forEach(owner -> nodes.put(owner, PeerAddress.host(owner))));
        boolean hostsDiffer = new HashSet<>(nodes.values()).size() == nodes.size();
        List<Part> named = parts.stream()
                .map(part -> new Part(
                        part.range(),
                        part.owners().stream()
                                .map(owner -> hostsDiffer ? nodes.get(owner) : owner)
                                .toList()))
                .toList();
        for (Part part : named) {
            if (new HashSet<>(part.owners()).size() < part.owners().size()) {
                throw new IllegalArgumentException(
                        "range of the ring has one owner twice, as nodes that share an address"
                                + " have: give what 'nodetool -pp describering KEYSPACE' prints, range=" + part.range()
                                + ", owners=" + part.owners());
            }
        }
        return named;
    }

    private static void requireDistinctBegins(List<Part> parts) {
        Map<Long, Part> begins = new HashMap<>();
        for (Part part : parts) {
            Part other = begins.put(part.range().left(), part);
            if (other != null) {
                throw overlap(other, part);
            }
        }
    }

    /** Where each range ends, and nowhere else, the next one must begin. */
    private static void requireNext(Part part, Part next) {
        long end = part.range().right();
        long begin = next.range().left();
        if (end == begin) {
            return;
        }
        if (new TokenRange(part.range().left(), begin).contains(end)) {
            throw new IllegalArgumentException(
                    "ring has a hole" + REMEDY + ", range=" + new TokenRange(end, begin) + ", after=" + part.range());
        }
        throw overlap(part, next);
    }

    private static IllegalArgumentException overlap(Part part, Part other) {
        return new IllegalArgumentException("two ranges of the ring overlap" + REMEDY + ", range=" + part.range()
                + ", owners=" + part.owners() + ", other=" + other.range() + ", other-owners=" + other.owners());
    }
}
