package io.anneal.store;

import io.anneal.compaction.CompactionStrategy;
import io.anneal.schema.SchemaException;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.store.directory.Formats;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Which options a table may have. What a store goes by is read by the parsers that read it later; what a store has no use for is
 * held against what Cassandra 5.0, its earlier versions and Scylla allow, so that the table is one there too.
 */
final class OptionRules {
    private static final int MAX_INDEX_INTERVAL_DEFAULT = 2048;
    private static final String TIME = "\\d+(\\.\\d+)?ms";
    private static final String PERCENTILE = "(?!0+(\\.0+)?p)\\d{1,2}(\\.\\d+)?p(ercentile)?";
    private static final Pattern RETRY = Pattern.compile("(?i)none|never|always|" + TIME + "|" + PERCENTILE
            + "|(min|max)\\((" + TIME + ", *" + PERCENTILE + "|" + PERCENTILE + ", *" + TIME + ")\\)");

    private static final Predicate<String> ANY = value -> true;
    private static final Predicate<String> FLAG = value -> value.matches("(?i)true|false|yes|no|1|0");
    private static final Predicate<String> COUNT = value -> isBetween(value, 0, Integer.MAX_VALUE);
    private static final Predicate<String> CHANCE = value -> isBetween(value, 0, 1);
    private static final Predicate<String> MAP =
            value -> SchemaText.parseMap(value).isPresent();

    /** Options that {@link TableOptions} has no place of their own for, each with what it may be. */
    private enum Known {
        COMMENT("a text", ANY),
        CACHING("a map of keys: ALL or NONE, rows_per_partition: ALL, NONE or a number", OptionRules::isCaching),
        CRC_CHECK_CHANCE("from 0 to 1", CHANCE),
        MAX_INDEX_INTERVAL("a whole number, not below min_index_interval", COUNT),
        MEMTABLE_FLUSH_PERIOD_IN_MS("a whole number from 0", COUNT),
        DEFAULT_TIME_TO_LIVE("seconds from 0 to " + WriteTime.TTL_MAX_SECONDS, COUNT),
        SPECULATIVE_RETRY("NONE, ALWAYS, a percentile as 99p, a time as 50ms, MIN or MAX of two", OptionRules::isRetry),
        ADDITIONAL_WRITE_POLICY("as speculative_retry", OptionRules::isRetry),
        READ_REPAIR("BLOCKING or NONE", value -> value.matches("(?i)blocking|none")),
        MEMTABLE("the name of a configuration", ANY),
        EXTENSIONS("a map", MAP),
        ALLOW_AUTO_SNAPSHOT("true or false", FLAG),
        INCREMENTAL_BACKUPS("true or false", FLAG),
        AUTO_REPAIR("a map", MAP),
        // Earlier versions of Cassandra.
        READ_REPAIR_CHANCE("from 0 to 1", CHANCE),
        DCLOCAL_READ_REPAIR_CHANCE("from 0 to 1", CHANCE),
        // Scylla.
        TOMBSTONE_GC("a map of mode: timeout, repair or disabled, and of propagation_delay_in_seconds", ANY),
        PAXOS_GRACE_SECONDS("a whole number from 0", COUNT),
        SYNCHRONOUS_UPDATES("true or false", FLAG),
        PER_PARTITION_RATE_LIMIT("a map", MAP);

        private final String allowed;
        private final Predicate<String> fits;

        Known(String allowed, Predicate<String> fits) {
            this.allowed = allowed;
            this.fits = fits;
        }

        String option() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private OptionRules() {}

    /** @throws SchemaException naming table, option, value and what is allowed */
    static void check(TableSchema table) {
        TableOptions options = table.options();
        try {
            Formats.requireWritable(options);
            CompactionStrategy.of(table);
        } catch (IllegalArgumentException e) {
            SchemaException refused = new SchemaException(e.getMessage() + ", table=" + table.qualifiedName());
            refused.initCause(e);
            throw refused;
        }
        requireWhole(table, "compaction", options.compaction(), "class");
        boolean compressed = !"false".equalsIgnoreCase(options.compression().get("enabled"));
        if (compressed && !options.compression().containsKey("sstable_compression")) {
            requireWhole(table, "compression", options.compression(), "class");
        }
        require(
                compressed || options.compression().size() == 1,
                table,
                "compression",
                options.compression(),
                "nothing else where enabled is false");
        requireOnlyOne(table, "class", "sstable_compression");
        requireOnlyOne(table, "chunk_length_in_kb", "chunk_length_kb");
        String crcCheckChance = options.compression().getOrDefault("crc_check_chance", "1");
        require(CHANCE.test(crcCheckChance), table, "crc_check_chance", crcCheckChance, Known.CRC_CHECK_CHANCE.allowed);
        long gcGraceSeconds = options.gcGraceSeconds();
        require(
                gcGraceSeconds >= 0 && gcGraceSeconds <= Integer.MAX_VALUE
                        || gcGraceSeconds == TableOptions.GC_GRACE_UNKNOWN,
                table,
                "gc_grace_seconds",
                gcGraceSeconds,
                "a whole number from 0 to " + Integer.MAX_VALUE);
        new TreeMap<>(options.others()).forEach((option, value) -> checkOther(table, option, value));
        int maxIndexInterval = Integer.parseInt(
                options.others().getOrDefault("max_index_interval", Integer.toString(MAX_INDEX_INTERVAL_DEFAULT)));
        require(
                options.minIndexInterval() <= maxIndexInterval,
                table,
                "min_index_interval",
                options.minIndexInterval(),
                "a whole number up to max_index_interval, " + maxIndexInterval);
        require(
                WriteTime.usualTtlSeconds(table) == 0 || !table.hasCounters(),
                table,
                "default_time_to_live",
                options.defaultTimeToLive().orElse(""),
                "0 where there are counters");
        table.id().ifPresent(id -> require(isId(id), table, "id", id, "a UUID"));
    }

    private static void checkOther(TableSchema table, String option, String value) {
        Known known = Arrays.stream(Known.values())
                .filter(candidate -> candidate.option().equals(option))
                .findFirst()
                .orElseThrow(() -> new SchemaException("option of a table is not known, option=" + option + ", value="
                        + value + ", table=" + table.qualifiedName()));
        require(known.fits.test(value), table, option, value, known.allowed);
    }

    /** A map that names something must name the class, as in Cassandra. */
    private static void requireWhole(TableSchema table, String option, Map<String, String> map, String key) {
        require(map.isEmpty() || map.containsKey(key), table, option, map, "a map with " + key);
    }

    private static void requireOnlyOne(TableSchema table, String key, String olderKey) {
        Map<String, String> compression = table.options().compression();
        boolean both = compression.containsKey(key) && compression.containsKey(olderKey);
        require(!both, table, "compression", new TreeMap<>(compression), "only one of " + key + " and " + olderKey);
    }

    private static void require(boolean fits, TableSchema table, String option, Object value, String allowed) {
        if (!fits) {
            throw new SchemaException("option of a table has a wrong value, option=" + option + ", value=" + value
                    + ", allowed=" + allowed + ", table=" + table.qualifiedName());
        }
    }

    private static boolean isBetween(String value, double min, double max) {
        try {
            double number = max > 1 ? Long.parseLong(value) : Double.parseDouble(value);
            return number >= min && number <= max;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static boolean isCaching(String value) {
        Optional<Map<String, String>> map = SchemaText.parseMap(value);
        return map.isPresent()
                && map.get().entrySet().stream().allMatch(entry -> switch (entry.getKey()) {
                    case "keys" -> entry.getValue().matches("(?i)all|none");
                    case "rows_per_partition" ->
                        entry.getValue().matches("(?i)all|none") || COUNT.test(entry.getValue());
                    // Scylla's.
                    case "enabled" -> FLAG.test(entry.getValue());
                    default -> false;
                });
    }

    private static boolean isRetry(String value) {
        return RETRY.matcher(value).matches();
    }

    private static boolean isId(String id) {
        try {
            return UUID.fromString(id).toString().equalsIgnoreCase(id);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
