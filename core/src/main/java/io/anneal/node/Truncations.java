package io.anneal.node;

import io.anneal.schema.TableSchema;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Compares what replicas know of truncations of their table: rows that one of them dropped must not come back from another. */
public final class Truncations {
    /** A truncation reaches replicas one after the other, and their clocks differ. */
    private static final long TOLERANCE_MICROS = TimeUnit.SECONDS.toMicros(10);

    private Truncations() {}

    /**
     * @return notes for the operator, a sentence each
     * @throws ReplicaException when one replica was truncated, others hold what was written before, and that is not waived
     */
    public static List<String> check(TableSchema schema, List<ReplicaFacts> replicas, Set<Waiver> waivers)
            throws ReplicaException {
        List<String> notes = new ArrayList<>();
        for (ReplicaFacts truncated : replicas) {
            if (!truncated.history().isWithoutTruncated()) {
                continue;
            }
            long micros = truncated.history().truncatedMicros().orElseThrow();
            for (ReplicaFacts other : replicas) {
                if (other.history().holdsTruncated(micros, TOLERANCE_MICROS)) {
                    String facts = "table=" + schema.qualifiedName() + ", truncated=" + truncated.name() + ", at="
                            + Instant.EPOCH.plus(micros, ChronoUnit.MICROS) + ", not-truncated=" + other.name();
                    if (!waivers.contains(Waiver.TRUNCATED)) {
                        throw new ReplicaException(
                                "table was truncated at one replica and not at another, and what was truncated would come"
                                        + " back: truncate it at all replicas, or allow it where one was emptied to be"
                                        + " filled again, " + facts,
                                Waiver.TRUNCATED);
                    }
                    notes.add("what was truncated at one replica comes back from another, " + facts);
                }
            }
        }
        return notes;
    }
}
