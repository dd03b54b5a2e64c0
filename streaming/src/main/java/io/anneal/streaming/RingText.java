package io.anneal.streaming;

import io.anneal.key.TokenRange;
import io.anneal.streaming.Ring.Part;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
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
    private static final Pattern PART =
            Pattern.compile("TokenRange\\(start_token:(-?\\d+), end_token:(-?\\d+), endpoints:\\[([^\\[\\]]*)\\]");
    private static final String REMEDY = ": give all that 'nodetool describering KEYSPACE' prints";

    private RingText() {}

    static List<Part> parse(String text) {
        // The same line twice says what it says once.
        List<Part> parts = text.lines()
                .filter(line -> line.contains(BEGIN))
                .map(RingText::part)
                .distinct()
                .sorted(Comparator.comparingLong(part -> part.range().left()))
                .toList();
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("text has no ranges of a ring" + REMEDY);
        }
        requireDistinctBegins(parts);
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
