package io.anneal.migrate.page;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.control.Gate;
import java.util.List;
import java.util.Map;

/**
 * All that the page shows beside its charts, at one moment; as JSON, the names are those of the components. Times are milliseconds
 * since 1970, absent values null. Immutable.
 *
 * @param known when the store was reached last
 * @param historyLasts whether charts outlive this page's server
 */
record Snapshot(
        String name,
        long at,
        Store store,
        boolean redacted,
        boolean historyLasts,
        @JsonUnwrapped Known known) {
    /**
     * Whether the phase store answers.
     *
     * @param state {@code unasked}, {@code ok}, {@code absent} if it never held a migration of that name, {@code lost}
     *     if it did, {@code unreachable}
     * @param since when that state began
     * @param message of the error, null if there is none
     */
    record Store(String state, long since, String message) {}

    /**
     * What the store told.
     *
     * @param record null if there is none, or the store was never reached
     * @param readiness null without a record
     * @param failing by side: of which instances say that it failed within the last minute
     * @param verified the last verification, null if there was none
     */
    record Known(
            PhaseInForce record,
            String mode,
            List<Instance> instances,
            NextStep readiness,
            Map<String, Long> counters,
            Map<String, Long> dirty,
            Map<String, Failing> failing,
            List<Trouble> mismatches,
            List<Trouble> failures,
            List<Job> jobs,
            Event verified,
            List<Event> events,
            List<String> unreadable) {
        static final Known NOTHING = new Known(
                null, null, List.of(), null, Map.of(), Map.of(), Map.of(), List.of(), List.of(), List.of(), null,
                List.of(), List.of());
    }

    /** The record in force. */
    record PhaseInForce(
            long version,
            String phase,
            int readShare,
            String highest,
            String who,
            long at,
            String why,
            boolean acknowledged) {}

    /**
     * An instance by its last heartbeats.
     *
     * @param phase that it acts by, null if that version is unknown
     * @param serves whether it has to acknowledge
     * @param silentMillis since its last heartbeat, by its clock and ours
     * @param heardMillis since a new heartbeat was seen, by our clock
     * @param stale whether that is longer than usual
     * @param rates a second, those that are not 0
     * @param latencies of reads, by side
     * @param dirty keys of which a side may lack the newest state, by that side
     */
    record Instance(
            String name,
            String kind,
            boolean serves,
            long version,
            String phase,
            boolean acknowledged,
            boolean drained,
            long silentMillis,
            boolean silent,
            long heardMillis,
            boolean stale,
            Map<String, Double> rates,
            Map<String, Point.Latency> latencies,
            Map<String, Long> dirty,
            String heldUp,
            String host,
            String pid,
            Long startedAt) {}

    /** What the next step is and what it waits for. */
    record NextStep(String from, String to, String step, boolean ready, List<Gate> gates) {}

    /**
     * A side that fails.
     *
     * @param instances that say so
     */
    record Failing(long since, int instances, Trouble last) {}

    /**
     * What went wrong for one cause.
     *
     * @param cause in words; of a failure class and message of the last one
     * @param side of a failure
     * @param key of the last mismatch, null if it is redacted
     * @param fields of the last mismatch
     */
    record Trouble(
            long first,
            long at,
            long count,
            String cause,
            String operation,
            String side,
            String key,
            List<FieldDiff> fields) {}

    /** A back-fill or a verification under way, and what it says of itself. */
    record Job(String instance, String kind, long at, boolean silent, Map<String, String> facts) {}

    /**
     * Something that happened.
     *
     * @param kind {@code created}, {@code phase}, {@code back}, {@code share}, a note's, or that of an incident
     * @param facts of a note or an incident; of a change {@code from}, {@code to}
     */
    record Event(long at, String kind, String who, long version, Map<String, String> facts) {}
}
