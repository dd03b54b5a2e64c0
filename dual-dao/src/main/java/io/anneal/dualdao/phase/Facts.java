package io.anneal.dualdao.phase;

import java.util.Map;

/**
 * Names of what heartbeats and notes carry. Counters are decimal and run from the start of the instance; histograms are of the
 * time since the last heartbeat, HdrHistogram's compressed encoding in Base64, in nanoseconds; times are milliseconds
 * since 1970. What an instance doesn't know is not there.
 */
public final class Facts {
    /** {@code dao} for an instance that serves calls, {@code backfill} for one that copies, {@code verify}. */
    public static final String KIND = "kind";

    public static final String HOST = "host";
    public static final String PID = "pid";
    public static final String STARTED_MILLIS = "startedMillis";
    /** The phase that an instance acts by, as {@link Phase#label}. */
    public static final String PHASE = "phase";
    /** The furthest phase that was in force, as the instance knows. */
    public static final String HIGHEST_PHASE = "highestPhase";
    /** How long an instance waits between two heartbeats. */
    public static final String POLL_MILLIS = "pollMillis";
    /** {@code MIGRATION} or {@code TEST}. */
    public static final String MODE = "mode";
    /** {@code gated}, {@code whole} or {@code merged}: what is done about partitions that are partly in the target. */
    public static final String PARTITIONS = "partitions";
    /** {@code false} if the keys written since phase 4 are not kept, so that there is no way back from there. */
    public static final String REMEMBERS_WRITES = "remembersWrites";
    /** {@code true} of an instance that can list all keys, and so takes up orders for work on them. */
    public static final String LISTS_KEYS = "listsKeys";
    /** Tells a persistent journal from all others: whoever opens it again has its keys, and the run that had it is gone. */
    public static final String JOURNAL = "journal";
    /** Changes of which an instance could not ask the phase store, from its start. */
    public static final String STORE_FAILURES = "storeFailures";
    /** Why an instance does not acknowledge, in words. */
    public static final String HELD_UP = "heldUp";
    /** Tells this run of an instance from others under the same name. */
    public static final String RUN = "run";
    /** Of a note: whether every instance had acknowledged its version when the work began. */
    public static final String ACKNOWLEDGED = "acknowledged";
    /** Of a note: the instance that it is about. */
    public static final String INSTANCE = "instance";
    /** Of a note that orders work, or ends such an order, and of an instance that does it: which one. */
    public static final String ORDER = "order";
    /** Of a note that ends an order: {@code true} if nothing failed, but it was not to be done. */
    public static final String REFUSED = "refused";
    /** Words of a note. */
    public static final String TEXT = "text";

    // Counters: see io.anneal.dualdao.stats.Counter, whose constants' names follow this prefix.
    public static final String COUNTER = "count.";
    public static final String FALLBACK_LAST_HIT_MILLIS = "fallbackLastHitMillis";

    /** Calls of phase 1 of which it was looked whether their keys can be told, and those of which they can't. */
    public static final String PREFLIGHT_LOOKS = "preflight.looks";

    public static final String PREFLIGHT_FAILURES = "preflight.failures";
    /** Why; an operation's name follows. */
    public static final String PREFLIGHT_CAUSE = "preflight.cause.";

    /** Keys whose newest state the target may lack, not yet copied. */
    public static final String DIRTY_TARGET = "dirty.target";
    /** Keys whose newest state the origin may lack, not yet copied. */
    public static final String DIRTY_ORIGIN = "dirty.origin";

    // Histograms; "origin" or "target" follows.
    public static final String READ_NANOS = "readNanos.";
    public static final String WRITE_NANOS = "writeNanos.";
    public static final String BATCH_NANOS = "batchNanos.";

    /** Failures of a side by kind, newest last: {@code failure.0} and so on: when, side, operation, count, cause, parted by tabs. */
    public static final String FAILURE = "failure.";

    /** Mismatches with their diffs, newest last: {@code mismatch.0} and so on, a line a field. */
    public static final String MISMATCH = "mismatch.";

    /**
     * Of a note: {@code true} if a comparison read the whole of both sides, so that no rows mean that both are empty, or a back-fill the
     * whole of the origin.
     */
    public static final String WHOLE = "whole";

    // Of notes and of instances that copy or verify.
    public static final String ROWS = "rows";
    public static final String BYTES = "bytes";
    public static final String RANGES_DONE = "rangesDone";
    public static final String RANGES_TOTAL = "rangesTotal";
    public static final String SECONDS_LEFT = "secondsLeft";
    /** Of a back-fill: keys that were not copied, and wait in journals. */
    public static final String LEFT = "left";

    public static final String MISMATCHES = "mismatches";
    /** Rows that the target lacks and that the origin got after phase 2: somebody writes past the dual DAO. */
    public static final String WRITTEN_PAST = "writtenPast";

    private Facts() {}

    /** A counter, or -1 if it isn't there or no number. */
    public static long number(Map<String, String> facts, String name) {
        String value = facts.get(name);
        try {
            return value == null ? -1 : Long.parseLong(value);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
