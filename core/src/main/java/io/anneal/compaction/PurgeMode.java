package io.anneal.compaction;

import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import java.util.Locale;
import java.util.Map;

/** When compaction may purge tombstones and what has expired: Scylla's {@code tombstone_gc}. */
public enum PurgeMode {
    /** What is older than the table's gc_grace: whoever repairs each range within it loses nothing. */
    GC_GRACE,
    /** What had arrived everywhere before the last repair of its range: safe however rare repairs are. */
    REPAIR,
    /** Nothing. */
    DISABLED;

    private static final String OPTION = "tombstone_gc";
    private static final String DELAY = "propagation_delay_in_seconds";
    private static final long DELAY_DEFAULT_SECONDS = 3_600;

    /**
     * The mode that a table's option {@code tombstone_gc} names, as {@code {'mode': 'repair'}}; gc_grace when it has none.
     *
     * @throws IllegalArgumentException when the mode is not known
     */
    public static PurgeMode of(TableOptions options) {
        String text = options.others().get(OPTION);
        if (text == null) {
            return GC_GRACE;
        }
        propagationDelaySeconds(options);
        return switch (map(text).getOrDefault("mode", text).toLowerCase(Locale.ROOT)) {
            case "timeout" -> GC_GRACE;
            case "repair" -> REPAIR;
            case "disabled" -> DISABLED;
            default ->
                throw new IllegalArgumentException("option is none of the modes timeout, repair, disabled, " + "option="
                        + OPTION + ", value=" + text);
        };
    }

    /**
     * How long a deletion may be on its way to a replica, as {@code propagation_delay_in_seconds} of {@code tombstone_gc} says; an
     * hour when it says nothing. A deletion that arrives after a repair was made before it, and the other replicas lack it.
     *
     * @throws IllegalArgumentException when it is no whole number from 0
     */
    static long propagationDelaySeconds(TableOptions options) {
        String text = options.others().getOrDefault(OPTION, "");
        String delay = map(text).get(DELAY);
        if (delay == null) {
            return DELAY_DEFAULT_SECONDS;
        }
        if (!delay.strip().matches("\\d{1,18}")) {
            throw new IllegalArgumentException(
                    "option is no whole number from 0, option=" + OPTION + "." + DELAY + ", value=" + text);
        }
        return Long.parseLong(delay.strip());
    }

    private static Map<String, String> map(String text) {
        return SchemaText.parseMap(text).orElse(Map.of());
    }
}
