package io.anneal.node;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * How far clocks of replicas are from the one that compares them, as far as a question and its answer prove it. Clocks stamp
 * writes, and decide when a deletion may be purged.
 *
 * @param replica for messages
 * @param offset by how much its clock is ahead at least; negative where it is behind
 */
public record ClockSkew(String replica, Duration offset) {
    /** More than that is refused: it is no drift, but a clock that nobody sets. */
    private static final Duration REFUSED = Duration.ofSeconds(10);

    private static final Duration NOTED = Duration.ofSeconds(1);

    /**
     * What an answer proves: its clock was read somewhere between the question and the answer.
     *
     * @param asked when, by the clock here
     * @param theirs what the replica's clock said
     * @param answered when, by the clock here
     */
    public static ClockSkew of(String replica, Instant asked, Instant theirs, Instant answered) {
        Duration offset = Duration.ZERO;
        if (theirs.isAfter(answered)) {
            offset = Duration.between(answered, theirs);
        } else if (theirs.isBefore(asked)) {
            offset = Duration.between(asked, theirs);
        }
        return new ClockSkew(replica, offset);
    }

    /**
     * @param notes takes a sentence for each that is worth one
     * @return the largest, in whole seconds, rounded up
     * @throws ReplicaException when one is too large, and that is not waived
     */
    public static long check(List<ClockSkew> skews, Set<Waiver> waivers, List<String> notes) throws ReplicaException {
        Duration largest = Duration.ZERO;
        for (ClockSkew skew : skews) {
            Duration size = skew.offset.abs();
            largest = size.compareTo(largest) > 0 ? size : largest;
            if (size.compareTo(NOTED) > 0) {
                String facts = "replica=" + skew.replica + ", millisAhead=" + skew.offset.toMillis();
                if (size.compareTo(REFUSED) > 0 && !waivers.contains(Waiver.CLOCK_SKEW)) {
                    throw new ReplicaException(
                            "replica's clock is not the master's, so that the wrong write may win and a deletion be purged too"
                                    + " early: set the clocks of both by NTP, " + facts,
                            Waiver.CLOCK_SKEW);
                }
                notes.add("replica's clock is not the master's: are both set by NTP, " + facts);
            }
        }
        return largest.plusNanos(999_999_999).toSeconds();
    }
}
