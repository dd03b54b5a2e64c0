package io.anneal.schema;

import java.util.Map;

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

    public TableOptions {
        compression = Map.copyOf(compression);
        compaction = Map.copyOf(compaction);
        others = Map.copyOf(others);
    }
}
