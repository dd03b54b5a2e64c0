package io.anneal.schema;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code WITH} options that reading and writing SSTables need.
 *
 * @param gcGraceSeconds {@link #GC_GRACE_UNKNOWN} when there is no schema text: then nothing is purged
 * @param compression the option map; empty for the default
 * @param others every other option as text, by name
 */
public record TableOptions(
        long gcGraceSeconds,
        double bloomFilterFpChance,
        int minIndexInterval,
        Map<String, String> compression,
        Map<String, String> compaction,
        boolean cdc,
        Map<String, String> others) {
    public static final long GC_GRACE_UNKNOWN = -1;
    public static final TableOptions UNKNOWN =
            new TableOptions(GC_GRACE_UNKNOWN, 0.01, 128, Map.of(), Map.of(), false, Map.of());

    /** What Cassandra takes when a statement says nothing. */
    public static final TableOptions DEFAULTS = UNKNOWN.withGcGraceSeconds(864_000);

    private static final String TTL = "default_time_to_live";

    public TableOptions {
        compression = Map.copyOf(compression);
        compaction = Map.copyOf(compaction);
        others = Map.copyOf(others);
    }

    public TableOptions withGcGraceSeconds(long seconds) {
        return new TableOptions(seconds, bloomFilterFpChance, minIndexInterval, compression, compaction, cdc, others);
    }

    /** @param map as in CQL: {@code class} and what that takes */
    public TableOptions withCompaction(Map<String, String> map) {
        return new TableOptions(gcGraceSeconds, bloomFilterFpChance, minIndexInterval, compression, map, cdc, others);
    }

    /** @param map as in CQL: {@code class} and what that takes */
    public TableOptions withCompression(Map<String, String> map) {
        return new TableOptions(gcGraceSeconds, bloomFilterFpChance, minIndexInterval, map, compaction, cdc, others);
    }

    /** An option that has no place of its own here, as text. */
    public TableOptions with(String option, String value) {
        Map<String, String> more = new HashMap<>(others);
        more.put(option, value);
        return new TableOptions(
                gcGraceSeconds, bloomFilterFpChance, minIndexInterval, compression, compaction, cdc, more);
    }

    /** How long values last that are written without a TTL; 0 for ever. */
    public TableOptions withDefaultTimeToLiveSeconds(int seconds) {
        return with(TTL, Integer.toString(seconds));
    }

    /** The {@code default_time_to_live}; empty when nothing is said. */
    public Optional<String> defaultTimeToLive() {
        return Optional.ofNullable(others.get(TTL));
    }
}
