package io.anneal.bench.oldrepair;

/**
 * What a repair did.
 *
 * @param ranges that were compared
 * @param differing of them, which were sent whole
 * @param rowsSent by all replicas to all others
 */
public record BaselineReport(long ranges, long differing, long rowsSent) {}
