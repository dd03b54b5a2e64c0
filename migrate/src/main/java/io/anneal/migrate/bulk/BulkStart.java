package io.anneal.migrate.bulk;

import java.util.Map;

/**
 * When a run started, the first of those that go on from each other.
 *
 * @param version of the phase record in force, 0 if there is none
 * @param startedMillis since 1970
 * @param acknowledged whether all instances had acknowledged the record
 * @param epoch version of the phase record since which both sides are written, 0 if there is none: what was copied before an
 *     earlier one lacks what was written between the two
 */
record BulkStart(long version, long startedMillis, boolean acknowledged, long epoch) {
    private static final String VERSION = "version";
    private static final String STARTED_MILLIS = "startedMillis";
    private static final String ACKNOWLEDGED = "acknowledged";
    private static final String EPOCH = "epoch";

    static BulkStart of(Map<String, String> facts) {
        return new BulkStart(
                Long.parseLong(facts.get(VERSION)),
                Long.parseLong(facts.get(STARTED_MILLIS)),
                Boolean.parseBoolean(facts.get(ACKNOWLEDGED)),
                Long.parseLong(facts.get(EPOCH)));
    }

    /** Of a checkpoint. */
    Map<String, String> facts() {
        return Map.of(
                VERSION,
                Long.toString(version),
                STARTED_MILLIS,
                Long.toString(startedMillis),
                ACKNOWLEDGED,
                Boolean.toString(acknowledged),
                EPOCH,
                Long.toString(epoch));
    }
}
