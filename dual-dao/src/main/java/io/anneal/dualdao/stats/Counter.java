package io.anneal.dualdao.stats;

/** What is counted, of an operation or of a dual DAO as a whole. In heartbeats their names follow {@code count.}. */
public enum Counter {
    READS,
    WRITES,
    DELETES,
    /** Operations of which the side's answer was a failure, or none that says what happened. */
    ORIGIN_FAILED,
    TARGET_FAILED,
    ORIGIN_UNKNOWN,
    TARGET_UNKNOWN,
    /** Reads that the origin answered since the target had nothing. */
    FALLBACK_HITS,
    /** Reads that found nothing in the target nor in the origin. */
    FALLBACK_MISSES,
    /** Reads that the origin answered since the target failed or was late. */
    FALLBACK_ERRORS,
    REPAIRED,
    /** Read-repairs left out: throttled, already under way, or a write to the key was. */
    REPAIRS_SKIPPED,
    COMPARED,
    MISMATCHES,
    /** In test mode: target operations for which there was no room, or whose keys could not be told. */
    DROPPED_READS,
    DROPPED_WRITES,
    /** Keys written to the journal, and copied from the side that is right since. */
    JOURNALED,
    REDRIVEN,
    SPECULATIVE_READS,
    SPECULATIVE_WINS
}
