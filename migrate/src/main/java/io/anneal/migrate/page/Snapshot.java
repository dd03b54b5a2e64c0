package io.anneal.migrate.page;

import java.util.List;
import java.util.Map;

/**
 * All that the page shows beside its charts, at one moment; as JSON, the names are those of the components. Times are milliseconds
 * since 1970, absent values null. Immutable.
 *
 * @param record null if there is none, or the store was never reached
 * @param readiness null without a record
 */
record Snapshot(
        String name,
        long at,
        Store store,
        PhaseInForce record,
        String mode,
        List<Instance> instances,
        NextStep readiness,
        Map<String, Long> counters,
        Long fallbackLastHitAt,
        Map<String, Long> dirty,
        List<Difference> mismatches,
        List<Failure> failures,
        List<Job> jobs,
        List<Event> events,
        List<String> unreadable,
        boolean redacted) {
    /**
     * Whether the phase store answers.
     *
     * @param state {@code unasked}, {@code ok}, {@code absent} if it never held a migration of that name, {@code lost}
     *     if it did, {@code unreachable}
     * @param since when that state began
     * @param message of the error, null if there is none
     */
    record Store(String state, long since, String message) {}

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
     * An instance by its last heartbeat.
     *
     * @param phase that it acts by, null if that version is unknown
     * @param serves whether it has to acknowledge
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
            String heldUp,
            String host,
            String pid,
            Long startedAt) {}

    /** What the next step is and what it waits for. */
    record NextStep(String from, String to, String step, boolean ready, List<Condition> gates) {}

    record Condition(String name, boolean met, String evidence) {}

    /** A mismatch; without key (null) and values if they are redacted. */
    record Difference(long at, String operation, String key, List<Field> fields) {}

    /** Failures of one kind of one side: the last one, and how many. */
    record Failure(long at, String side, String operation, long count, String cause) {}

    record Field(String path, String origin, String target) {}

    /** A back-fill or a verification under way; what it does not tell is null. */
    record Job(
            String instance,
            String kind,
            long at,
            boolean silent,
            Long startedAt,
            Long rows,
            Long bytes,
            Long rangesDone,
            Long rangesTotal,
            Long secondsLeft,
            Long mismatches) {}

    /**
     * Something that happened.
     *
     * @param kind {@code created}, {@code phase}, {@code back}, {@code share}, or a note's
     * @param facts of a note; of a change {@code from}, {@code to}
     */
    record Event(long at, String kind, String who, long version, Map<String, String> facts) {}
}
