package io.anneal.agent;

import io.anneal.sstable.Compressor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a node's schema and settings tell of a table, as far as rows must not be imported into some.
 *
 * @param compaction options, as all maps here
 * @param compression none if it has none
 * @param cdc whether changes are captured
 * @param hasViews whether materialized views are built on it
 * @param replication of its keyspace
 * @param replicationType of its keyspace, from Cassandra 6 on
 * @param transactionalMode from Cassandra 6 on
 * @param captureOnRepair whether the node's own repair writes as clients do where changes are captured
 * @param viewsOnRepair the same where views are built
 */
record TableFacts(
        int gcGraceSeconds,
        Map<String, String> compaction,
        Map<String, String> compression,
        boolean cdc,
        boolean hasViews,
        Map<String, String> replication,
        Optional<String> replicationType,
        Optional<String> transactionalMode,
        boolean captureOnRepair,
        boolean viewsOnRepair) {
    private static final String EAGER_EXPIRY = "unsafe_aggressive_sstable_expiration";

    /** Why rows must not be imported into it; none if they may. */
    List<String> objections() {
        List<String> all = new ArrayList<>();
        if (gcGraceSeconds == 0) {
            all.add("its gc_grace is 0: deletions are purged at once");
        }
        if (Boolean.parseBoolean(compaction.get(EAGER_EXPIRY))) {
            all.add("it drops expired SSTables without a look at others: " + EAGER_EXPIRY);
        }
        compressor()
                .filter(name -> Compressor.ofClass(name).isEmpty())
                .ifPresent(name -> all.add("its compressor is not known here: " + name));
        // Where an operator has told the node that its own repair may bypass them, so may an import.
        if (cdc && captureOnRepair) {
            all.add("it has CDC, which an import bypasses: Cassandra's own repair would do so with"
                    + " cdc_on_repair_enabled: false");
        }
        if (hasViews && viewsOnRepair) {
            all.add("a materialized view is built on it, which an import bypasses: Cassandra's own repair would do so"
                    + " with materialized_views_on_repair_enabled: false");
        }
        if (replication.entrySet().stream()
                .anyMatch(entry ->
                        !entry.getKey().equals("class") && entry.getValue().contains("/"))) {
            all.add("its keyspace has transient replication");
        }
        replicationType
                .filter(type -> isOn(type, "untracked"))
                .ifPresent(type -> all.add("its keyspace tracks mutations: replication_type " + type));
        transactionalMode
                .filter(mode -> isOn(mode, "off"))
                .ifPresent(mode -> all.add("it has Accord transactions: transactional_mode " + mode));
        return all;
    }

    /** Its class, with or without its package; older schemas have another name for the option. */
    private Optional<String> compressor() {
        String name = compression.getOrDefault("class", compression.get("sstable_compression"));
        boolean isOff = name == null || name.isEmpty() || "false".equals(compression.get("enabled"));
        return isOff ? Optional.empty() : Optional.of(name);
    }

    private static boolean isOn(String value, String off) {
        return !value.isEmpty() && !value.toLowerCase(Locale.ROOT).equals(off);
    }
}
