package io.anneal.migrate.bulk;

/**
 * A back-fill that went through to the end.
 *
 * @param rows copied, in this run and in those that it went on from
 * @param ranges all of them
 * @param resumedRanges of them those that an earlier run had finished
 * @param retries of ranges, in this run
 * @param seconds that this run took
 */
public record BackfillResult(long rows, long bytes, int ranges, int resumedRanges, int retries, double seconds) {}
